/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/element.h"

#include <macdecls.h>

#include "support/check.h"

const int kTypes[kTypeCount] = {C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};

const char* type_name(int type) {
    switch (type) {
        case C_INT:
            return "C_INT";
        case C_LONG:
            return "C_LONG";
        case C_FLOAT:
            return "C_FLOAT";
        case C_DBL:
            return "C_DBL";
        case C_SCPL:
            return "C_SCPL";
        case C_DCPL:
            return "C_DCPL";
        default:
            give_up("unknown type %d", type);
    }
}

size_t type_bytes(int type) {
    switch (type) {
        case C_INT:
            return sizeof(int);
        case C_LONG:
            return sizeof(long);
        case C_FLOAT:
            return sizeof(float);
        case C_DBL:
            return sizeof(double);
        case C_SCPL:
            return sizeof(SingleComplex);
        case C_DCPL:
            return sizeof(DoubleComplex);
        default:
            give_up("unknown type %d", type);
    }
}

bool type_is_complex(int type) {
    return type == C_SCPL || type == C_DCPL;
}

void element_store(int type, void* array, size_t index, double complex value) {
    const double re = creal(value);
    const double im = cimag(value);
    switch (type) {
        case C_INT:
            ((int*)array)[index] = (int)re;
            break;
        case C_LONG:
            ((long*)array)[index] = (long)re;
            break;
        case C_FLOAT:
            ((float*)array)[index] = (float)re;
            break;
        case C_DBL:
            ((double*)array)[index] = re;
            break;
        case C_SCPL:
            ((SingleComplex*)array)[index] = (SingleComplex){(float)re, (float)im};
            break;
        case C_DCPL:
            ((DoubleComplex*)array)[index] = (DoubleComplex){re, im};
            break;
        default:
            give_up("unknown type %d", type);
    }
}

double complex element_load(int type, const void* array, size_t index) {
    switch (type) {
        case C_INT:
            return ((const int*)array)[index];
        case C_LONG:
            return (double)((const long*)array)[index];
        case C_FLOAT:
            return ((const float*)array)[index];
        case C_DBL:
            return ((const double*)array)[index];
        case C_SCPL: {
            const SingleComplex value = ((const SingleComplex*)array)[index];
            return CMPLX(value.real, value.imag);
        }
        case C_DCPL: {
            const DoubleComplex value = ((const DoubleComplex*)array)[index];
            return CMPLX(value.real, value.imag);
        }
        default:
            give_up("unknown type %d", type);
    }
}

/* Neighbouring numbers give unrelated results. */
static uint64_t mix(uint64_t number) {
    uint64_t x = number * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x632BE59BD9B4E019);
    x ^= x >> 29;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

double complex test_value(int type, uint64_t number) {
    const uint64_t bits = mix(number);
    const double re = (double)(bits % 101) - 50;
    const double im = (double)((bits >> 20) % 101) - 50;
    return CMPLX(re, type_is_complex(type) ? im : 0.0);
}

double complex test_factor(int type, uint64_t number) {
    const uint64_t bits = mix(~number);
    const double size = 1.0 + (double)(bits % 3);
    const double re = (bits & 64) != 0 ? size : -size;
    return CMPLX(re, type_is_complex(type) ? 2.0 - (double)((bits >> 20) % 4) : 0.0);
}

scalar_t scalar(int type, double complex value) {
    scalar_t result;
    element_store(type, &result, 0, value);
    return result;
}

rng_t seeded(uint64_t seed) {
    return (rng_t){mix(seed)};
}

int random_below(rng_t* rng, int limit) {
    rng->state++;
    return (int)(mix(rng->state) % (uint64_t)limit);
}
