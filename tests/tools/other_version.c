/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before libarmci.so, it pretends another version of that. */
struct access {
    const char* version;
};

const struct access* armci_private_tool_access(void);

const struct access* armci_private_tool_access(void) {
    static const struct access other = {"0.0.1-other"};
    return &other;
}
