// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/place_text.h"

#include <cstdlib>

namespace armci::info {

std::vector<int> server_ranks(size_t ranks, int servers) {
    std::vector<int> hosts;
    for (int server = 0; server < servers; ++server) {
        hosts.push_back((server * static_cast<int>(ranks) + servers - 1) / servers);
    }
    return hosts;
}

std::vector<int> ranks_of_adapter(const base::Placement& placement, size_t adapter) {
    std::vector<int> ranks;
    for (size_t rank = 0; rank < placement.adapter_of_rank.size(); ++rank) {
        if (placement.adapter_of_rank[rank] == static_cast<int>(adapter)) {
            ranks.push_back(static_cast<int>(rank));
        }
    }
    return ranks;
}

std::string numbers_text(const std::vector<int>& numbers) {
    if (numbers.size() > 2) {
        const int step = numbers[1] - numbers[0];
        bool is_even = true;
        for (size_t i = 1; i < numbers.size(); ++i) {
            is_even &= numbers[i] - numbers[i - 1] == step;
        }
        if (is_even) {
            return std::to_string(numbers.front()) +
                   (step == 1 ? "-" : ", " + std::to_string(numbers[1]) + ", ... ") +
                   std::to_string(numbers.back());
        }
    }
    std::string text;
    for (const int number : numbers) {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return text;
}

std::string nodes_text(const std::string& bitmap) {
    constexpr int kBitsOfWord = 32;
    std::vector<int> nodes;
    // The last word has the lowest bits.
    int first = 0;
    for (size_t end = bitmap.size(); end != 0; first += kBitsOfWord) {
        const size_t comma = bitmap.rfind(',', end - 1);
        const size_t begin = comma == std::string::npos ? 0 : comma + 1;
        const unsigned long bits =
            std::strtoul(bitmap.substr(begin, end - begin).c_str(), nullptr, 16);
        for (int bit = 0; bit < kBitsOfWord; ++bit) {
            if ((bits >> bit & 1) != 0) {
                nodes.push_back(first + bit);
            }
        }
        end = comma == std::string::npos ? 0 : comma;
    }
    return numbers_text(nodes);
}

}  // namespace armci::info
