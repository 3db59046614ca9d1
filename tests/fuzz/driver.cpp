// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target where there is no libFuzzer: on every file of its corpus, then on mutations of
// them, which are the same in every run.
//
//   fuzz_TARGET CORPUS MUTATIONS [SEED]
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kLongest = 4096;

std::vector<Bytes> read_corpus(const std::string& directory) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Bytes> corpus;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return corpus;
}

void mutate(std::mt19937_64& random, const std::vector<Bytes>& corpus, Bytes& input) {
    constexpr uint8_t kInteresting[] = {0, 1, 7, 8, 16, 32, 64, 127, 128, 254, 255, '=', '\n', '-'};
    const size_t at = input.empty() ? 0 : random() % input.size();
    const auto place = input.begin() + static_cast<ptrdiff_t>(at);
    switch (random() % 6) {
        case 0:
            input.insert(place, static_cast<uint8_t>(random()));
            break;
        case 1: {  // the end comes from another input
            const Bytes& other = corpus[random() % corpus.size()];
            const size_t from = std::min(at, other.size());
            input.erase(place, input.end());
            input.insert(input.end(), other.begin() + static_cast<ptrdiff_t>(from), other.end());
            break;
        }
        case 2:
            if (!input.empty()) {
                const auto bytes = static_cast<ptrdiff_t>(random() % 8);
                input.erase(place, place + std::min<ptrdiff_t>(bytes, input.end() - place));
            }
            break;
        case 3:
            if (!input.empty()) {
                *place = kInteresting[random() % std::size(kInteresting)];
            }
            break;
        default:
            if (!input.empty()) {
                *place ^= static_cast<uint8_t>(1u << random() % 8);
            }
    }
    input.resize(std::min(input.size(), kLongest));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s CORPUS MUTATIONS [SEED]\n", argv[0]);
        return 2;
    }
    const std::vector<Bytes> corpus = read_corpus(argv[1]);
    if (corpus.empty()) {
        std::fprintf(stderr, "%s: no files in %s\n", argv[0], argv[1]);
        return 2;
    }
    for (const Bytes& input : corpus) {
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    const long mutations = std::atol(argv[2]);
    std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    for (long i = 0; i < mutations; ++i) {
        Bytes input = corpus[random() % corpus.size()];
        for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
            mutate(random, corpus, input);
        }
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu files, %ld mutations\n", corpus.size(), mutations);
    return 0;
}
