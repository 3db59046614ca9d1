// SPDX-License-Identifier: BSD-3-Clause
#include "base/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace armci::base {
namespace {

struct Module {
    uintptr_t address;  // looked for
    bool is_found = false;
    uintptr_t base = 0;
    char path[4096] = {};
};

int match_module(dl_phdr_info* info, size_t /*size*/, void* data) {
    Module& module = *static_cast<Module*>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && module.address >= begin &&
            module.address - begin < part.p_memsz) {
            module.is_found = true;
            module.base = info->dlpi_addr;
            const bool is_program = info->dlpi_name == nullptr || *info->dlpi_name == '\0';
            std::snprintf(module.path, sizeof module.path, "%s",
                          is_program ? "/proc/self/exe" : info->dlpi_name);
            return 1;
        }
    }
    return 0;
}

// A file in memory, whose contents are not trusted.
class MappedFile {
  public:
    explicit MappedFile(const char* path) {
        const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (fd >= 0 && ::fstat(fd, &status) == 0 && status.st_size > 0) {
            size_ = static_cast<size_t>(status.st_size);
            void* const begin = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
            begin_ = begin != MAP_FAILED ? static_cast<const char*>(begin) : nullptr;
        }
        if (fd >= 0) {
            ::close(fd);
        }
    }
    ~MappedFile() {
        if (begin_ != nullptr) {
            ::munmap(const_cast<char*>(begin_), size_);
        }
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    // Returns null if the file does not have `count` objects at that place.
    template <class Object>
    const Object* at(uint64_t offset, uint64_t count = 1) const {
        const bool fits = begin_ != nullptr && offset % alignof(Object) == 0 && offset <= size_ &&
                          count <= (size_ - offset) / sizeof(Object);
        return fits ? reinterpret_cast<const Object*>(begin_ + offset) : nullptr;
    }

  private:
    const char* begin_ = nullptr;
    size_t size_ = 0;
};

// Looks through the first table of that type. Returns whether it has a function there.
bool find_in_table(const MappedFile& file, const ElfW(Ehdr) & header, uint32_t type,
                   uintptr_t address, CodePlace* place) {
    const auto* sections = file.at<ElfW(Shdr)>(header.e_shoff, header.e_shnum);
    for (int i = 0; sections != nullptr && i < header.e_shnum; ++i) {
        const ElfW(Shdr)& table = sections[i];
        if (table.sh_type != type || table.sh_link >= header.e_shnum) {
            continue;
        }
        const ElfW(Shdr)& names = sections[table.sh_link];
        const uint64_t count = table.sh_size / sizeof(ElfW(Sym));
        const auto* symbols = file.at<ElfW(Sym)>(table.sh_offset, count);
        const char* text = file.at<char>(names.sh_offset, names.sh_size);
        for (uint64_t k = 0; symbols != nullptr && text != nullptr && k < count; ++k) {
            const ElfW(Sym)& symbol = symbols[k];
            const unsigned kind = symbol.st_info & 0xf;
            if ((kind == STT_FUNC || kind == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
                address >= symbol.st_value && address - symbol.st_value < symbol.st_size &&
                symbol.st_name < names.sh_size) {
                std::snprintf(place->function, sizeof place->function, "%.*s",
                              static_cast<int>(std::min<uint64_t>(sizeof place->function,
                                                                  names.sh_size - symbol.st_name)),
                              text + symbol.st_name);
                place->offset = address - symbol.st_value;
                return true;
            }
        }
    }
    return false;
}

void set_file_name(const char* path, CodePlace* place) {
    char target[4096];
    const ssize_t length = ::readlink(path, target, sizeof target - 1);
    if (length > 0 && std::strcmp(path, "/proc/self/exe") == 0) {
        target[length] = '\0';
        path = target;
    }
    const char* slash = std::strrchr(path, '/');
    std::snprintf(place->file, sizeof place->file, "%.255s", slash != nullptr ? slash + 1 : path);
}

}  // namespace

CodePlace find_code(uintptr_t address) {
    CodePlace place;
    Module module{address};
    dl_iterate_phdr(match_module, &module);
    if (!module.is_found) {
        return place;
    }
    place.load_base = module.base;
    place.offset = address - module.base;
    set_file_name(module.path, &place);
    const MappedFile file(module.path);
    const auto* header = file.at<ElfW(Ehdr)>(0);
    if (header != nullptr && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
        header->e_shentsize == sizeof(ElfW(Shdr))) {
        const uintptr_t in_file = address - module.base;
        find_in_table(file, *header, SHT_SYMTAB, in_file, &place) ||
            find_in_table(file, *header, SHT_DYNSYM, in_file, &place);
    }
    return place;
}

}  // namespace armci::base
