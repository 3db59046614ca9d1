// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/plots.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "armci-trace/text.h"

namespace armci::trace {
namespace {

constexpr size_t kMaxBars = 12;
constexpr int kMaxCells = 64;  // of ranks, or groups of neighbours

__attribute__((format(printf, 2, 3))) void add(std::string* svg, const char* format, ...) {
    char part[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    *svg += part;
}

std::string begin_svg(int width, int height, const char* title) {
    std::string svg;
    add(&svg, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"%s\">\n", width,
        height, width, title);
    return svg;
}

void add_text(std::string* svg, double x, double y, const char* anchor, const std::string& text,
              const char* style = "") {
    add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, style,
        escaped(text).c_str());
}

void add_box(std::string* svg, double x, double y, double width, double height, const char* style,
             const std::string& hint) {
    add(svg,
        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
        "class=\"%s\"><title>%s</title></rect>\n",
        x, y, std::max(width, 0.0), std::max(height, 0.0), style, escaped(hint).c_str());
}

void add_line(std::string* svg, double x1, double y1, double x2, double y2) {
    add(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>\n", x1, y1, x2,
        y2);
}

// Returns 1, 2 or 5 times a power of ten, so that at most that many steps reach the value.
double step_for(double value, int steps) {
    const double least = value / steps;
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            return factor * power;
        }
    }
    return 10 * power;
}

std::string number_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

// What a cell of a plot by rank stands for: one rank, or neighbours.
struct Cells {
    int first = 0;
    int ranks_in_cell = 1;
    int count = 0;

    explicit Cells(const Summary& summary) {
        if (summary.ranks().empty()) {
            return;
        }
        first = summary.ranks().begin()->first;
        const int ranks = summary.ranks().rbegin()->first - first + 1;
        ranks_in_cell = (ranks + kMaxCells - 1) / kMaxCells;
        count = (ranks + ranks_in_cell - 1) / ranks_in_cell;
    }
    int of(int rank) const { return (rank - first) / ranks_in_cell; }
    std::string name(int cell) const {
        const int begin = first + cell * ranks_in_cell;
        return ranks_in_cell == 1 ? "rank " + std::to_string(begin)
                                  : "ranks " + std::to_string(begin) + " to " +
                                        std::to_string(begin + ranks_in_cell - 1);
    }
    // Returns after how many cells there is a label.
    int label_step() const { return static_cast<int>(std::max(1.0, step_for(count, 16))); }
    std::string label(int cell) const { return std::to_string(first + cell * ranks_in_cell); }
};

// The bins that are drawn, and their places.
struct OverTime {
    static constexpr int kLeft = 60;
    static constexpr int kWidth = 820;
    static constexpr int kHeight = 150;
    static constexpr int kTop = 30;                     // for names of curves
    static constexpr int kPanel = kTop + kHeight + 30;  // with times below

    int64_t width_ns;
    int first;
    int last;

    explicit OverTime(const Summary& summary)
        : width_ns(summary.activity(Curve::calls).width_ns()),
          first(bin_of(summary.begin_ns())),
          last(std::max(bin_of(summary.end_ns() - 1), first)) {}
    // What has no curve may be before or behind all bins.
    int bin_of(int64_t ns) const {
        return static_cast<int>(std::clamp<int64_t>(ns / width_ns, 0, Activity::kBins - 1));
    }
    int bins() const { return last - first + 1; }
    double x_of(double bin) const { return kLeft + (bin - first) / bins() * kWidth; }
    double highest(const Summary& summary, const std::vector<Curve>& curves) const {
        double highest = 0;
        for (const Curve curve : curves) {
            for (int bin = first; bin <= last; ++bin) {
                highest = std::max(highest, summary.activity(curve).level(bin));
            }
        }
        return highest;
    }
};

void add_times(const OverTime& time, double y, std::string* svg) {
    const auto from_ns = static_cast<double>(time.first * time.width_ns);
    const auto length_ns = static_cast<double>(time.bins() * time.width_ns);
    const double step = step_for(length_ns, 8);
    for (double ns = std::ceil(from_ns / step) * step; ns <= (from_ns + length_ns) * 1.0001;
         ns += step) {
        const double x = OverTime::kLeft + (ns - from_ns) / length_ns * OverTime::kWidth;
        add_line(svg, x, y, x, y + 5);
        add_text(svg, x, y + 20, "middle", time_text(ns), " class=\"quiet\"");
    }
}

// Curves with an axis of their own.
void add_panel(const Summary& summary, const OverTime& time, const std::vector<Curve>& curves,
               double highest, int y, std::string* svg) {
    const double step = step_for(highest, 4);
    const double most = std::ceil(highest / step) * step;
    const double top = y + OverTime::kTop;
    const auto y_of = [&](double level) { return top + (1 - level / most) * OverTime::kHeight; };
    for (double level = 0; level <= most * 1.001; level += step) {
        add_line(svg, OverTime::kLeft, y_of(level), OverTime::kLeft + OverTime::kWidth,
                 y_of(level));
        add_text(svg, OverTime::kLeft - 8, y_of(level) + 4, "end", number_text(level),
                 " class=\"quiet\"");
    }
    add_times(time, top + OverTime::kHeight, svg);
    double x = OverTime::kLeft;
    for (const Curve curve : curves) {
        const int colour = static_cast<int>(curve);
        add(svg, "<polyline class=\"l%d\" points=\"", colour);
        for (int bin = time.first; bin <= time.last; ++bin) {
            const double level = y_of(summary.activity(curve).level(bin));
            add(svg, "%.1f,%.1f %.1f,%.1f ", time.x_of(bin), level, time.x_of(bin + 1), level);
        }
        *svg += "\"/>\n";
        add(svg, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"l%d\"/>\n", x, y + 14,
            x + 22, y + 14, colour);
        add_text(svg, x + 28, y + 18, "start", title_of(curve));
        x += 190;
    }
}

}  // namespace

std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += letter;
        }
    }
    return result;
}

std::string plot_group(const Summary& summary, Group group) {
    constexpr int kLabels = 320;
    constexpr int kBars = 460;
    constexpr int kRow = 24;
    const auto works = summary.by_time(group);
    if (works.empty()) {
        return "";
    }
    const size_t shown = std::min(works.size(), kMaxBars);
    const auto longest =
        static_cast<double>(std::max<int64_t>(works[0].second->time.total_ns(), 1));
    std::string svg =
        begin_svg(kLabels + kBars + 90, static_cast<int>(shown) * kRow + 6, title_of(group));
    for (size_t i = 0; i < shown; ++i) {
        const auto& [name, work] = works[i];
        const double y = static_cast<double>(i) * kRow + 4;
        const auto total = static_cast<double>(work->time.total_ns());
        const double width = std::max(1.0, total / longest * kBars);
        add_text(&svg, kLabels - 8, y + 13, "end",
                 name.size() <= 46 ? name : name.substr(0, 45) + "…");
        add_box(&svg, kLabels, y, width, kRow - 7, "c0",
                name + ": " + time_text(total) + " in " + std::to_string(work->time.count()) +
                    ", mean " + time_text(work->time.mean_ns()));
        add_text(&svg, kLabels + width + 6, y + 13, "start", time_text(total), " class=\"quiet\"");
    }
    return svg + "</svg>\n";
}

std::string plot_activity(const Summary& summary) {
    const OverTime time(summary);
    std::string svg;
    int y = 0;
    // Operations under way may be many times as many as threads.
    for (const std::vector<Curve>& curves :
         {std::vector<Curve>{Curve::calls, Curve::waits, Curve::server}, {Curve::stages}}) {
        const double highest = time.highest(summary, curves);
        if (highest > 0) {
            add_panel(summary, time, curves, highest, y, &svg);
            y += OverTime::kPanel;
        }
    }
    if (svg.empty()) {
        return "";
    }
    add_text(&svg, OverTime::kLeft + OverTime::kWidth / 2.0, y + 8, "middle", "time of the job",
             " class=\"quiet\"");
    return begin_svg(OverTime::kLeft + OverTime::kWidth + 20, y + 14, "Activity over time") + svg +
           "</svg>\n";
}

std::string plot_load(const Summary& summary) {
    constexpr int kLeft = 60;
    constexpr int kWidth = 820;
    constexpr int kHeight = 200;
    constexpr int kTop = 30;
    constexpr const char* kParts[] = {"waits", "calls without waits", "between calls"};
    const Cells cells(summary);
    const auto length = static_cast<double>(summary.end_ns() - summary.begin_ns());
    if (cells.count == 0 || length <= 0) {
        return "";
    }
    struct Cell {
        double waits = 0;
        double calls = 0;
        int ranks = 0;
    };
    std::vector<Cell> loads(static_cast<size_t>(cells.count));
    for (const auto& [number, rank] : summary.ranks()) {
        Cell& cell = loads[static_cast<size_t>(cells.of(number))];
        cell.waits += static_cast<double>(rank.waits_ns);
        cell.calls += static_cast<double>(rank.calls_ns);
        cell.ranks += rank.has_events ? 1 : 0;
    }
    // Threads of a rank may be in calls at the same time.
    double top = length;
    for (const Cell& cell : loads) {
        top = std::max(top, std::max(cell.calls, cell.waits) / std::max(cell.ranks, 1));
    }
    std::string svg = begin_svg(kLeft + kWidth + 20, kTop + kHeight + 44, "Load of ranks");
    const double width = static_cast<double>(kWidth) / std::max(cells.count, 4);
    const double step = step_for(top, 4);
    for (double time = 0; time <= top; time += step) {
        const double y = kTop + (1 - time / top) * kHeight;
        add_line(&svg, kLeft, y, kLeft + kWidth, y);
        add_text(&svg, kLeft - 8, y + 4, "end", time_text(time), " class=\"quiet\"");
    }
    for (int i = 0; i < cells.count; ++i) {
        const Cell& cell = loads[static_cast<size_t>(i)];
        if (cell.ranks == 0) {
            continue;
        }
        const double waits = cell.waits / cell.ranks;
        const double calls = std::max(cell.calls / cell.ranks, waits);
        const double parts[] = {waits, calls - waits, std::max(length - calls, 0.0)};
        double y = kTop + kHeight;
        for (int part = 0; part < 3; ++part) {
            const double height = parts[part] / top * kHeight;
            y -= height;
            add_box(&svg, kLeft + i * width + width * 0.08, y, width * 0.84, height,
                    part == 0   ? "c1"
                    : part == 1 ? "c0"
                                : "c3",
                    cells.name(i) + ": " + kParts[part] + " " + time_text(parts[part]));
        }
        if (i % cells.label_step() == 0) {
            add_text(&svg, kLeft + (i + 0.5) * width, kTop + kHeight + 18, "middle", cells.label(i),
                     " class=\"quiet\"");
        }
    }
    add_text(&svg, kLeft + kWidth / 2.0, kTop + kHeight + 38, "middle",
             cells.ranks_in_cell == 1 ? "rank"
                                      : "first of " + std::to_string(cells.ranks_in_cell) +
                                            " ranks, of which this is "
                                            "the mean",
             " class=\"quiet\"");
    for (int part = 0; part < 3; ++part) {
        const double x = kLeft + part * 190.0;
        add_box(&svg, x, 6, 14, 12, part == 0 ? "c1" : part == 1 ? "c0" : "c3", kParts[part]);
        add_text(&svg, x + 20, 16, "start", kParts[part]);
    }
    return svg + "</svg>\n";
}

std::string plot_traffic(const Summary& summary) {
    constexpr int kLeft = 70;
    constexpr int kTop = 40;
    constexpr int kSide = 440;
    const Cells cells(summary);
    if (summary.traffic().empty()) {
        return "";
    }
    const auto count = static_cast<size_t>(cells.count);
    std::vector<double> bytes(count * count);
    double most = 0;
    for (const auto& [ranks, traffic] : summary.traffic()) {
        double& cell = bytes[static_cast<size_t>(cells.of(ranks.first)) * count +
                             static_cast<size_t>(cells.of(ranks.second))];
        cell += static_cast<double>(traffic.bytes);
        most = std::max(most, cell);
    }
    double least = most;
    for (const double cell : bytes) {
        least = cell > 0 ? std::min(least, cell) : least;
    }
    // The scale is logarithmic, because small transfers would be invisible otherwise.
    const double range = std::log(std::max(most / std::max(least, 1.0), 1.0001));
    const auto shade_of = [&](double value) {
        return 0.12 + 0.88 * (1 - std::log(most / value) / range);
    };
    std::string svg = begin_svg(kLeft + kSide + 190, kTop + kSide + 20, "Communication matrix");
    const double side = static_cast<double>(kSide) / cells.count;
    add(&svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"empty\"/>\n", kLeft, kTop,
        kSide, kSide);
    for (size_t origin = 0; origin < count; ++origin) {
        for (size_t target = 0; target < count; ++target) {
            const double value = bytes[origin * count + target];
            if (value <= 0) {
                continue;
            }
            add(&svg,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"c0\" "
                "fill-opacity=\"%.3f\"><title>%s to %s: %s</title></rect>\n",
                kLeft + static_cast<double>(target) * side,
                kTop + static_cast<double>(origin) * side, side, side, shade_of(value),
                cells.name(static_cast<int>(origin)).c_str(),
                cells.name(static_cast<int>(target)).c_str(), bytes_text(value).c_str());
        }
    }
    for (int cell = 0; cell < cells.count; cell += cells.label_step()) {
        const double middle = (cell + 0.5) * side + 4;
        add_text(&svg, kLeft - 8, kTop + middle, "end", cells.label(cell), " class=\"quiet\"");
        add_text(&svg, kLeft + middle - 4, kTop - 8, "middle", cells.label(cell),
                 " class=\"quiet\"");
    }
    add_text(&svg, kLeft + kSide / 2.0, 14, "middle", "target", " class=\"quiet\"");
    add(&svg,
        "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\" "
        "class=\"quiet\">rank that calls</text>\n",
        kTop + kSide / 2);
    constexpr int kShades = 5;
    const int shades = most > least * 1.01 ? kShades : 1;
    for (int i = 0; i < shades; ++i) {
        const double value = most * std::exp(-range * i / std::max(shades - 1, 1));
        const double y = kTop + i * 26.0;
        add(&svg,
            "<rect x=\"%d\" y=\"%.1f\" width=\"22\" height=\"22\" class=\"c0\" "
            "fill-opacity=\"%.3f\"/>\n",
            kLeft + kSide + 24, y, shade_of(value));
        add_text(&svg, kLeft + kSide + 54, y + 16, "start", bytes_text(value));
    }
    return svg + "</svg>\n";
}

}  // namespace armci::trace
