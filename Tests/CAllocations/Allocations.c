#include "CAllocations.h"

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

// Thread-local storage of the executable itself, which is reached without an allocation.
static _Thread_local __attribute__((tls_model("initial-exec"))) unsigned long count;
static _Thread_local __attribute__((tls_model("initial-exec"))) int counting;

void sightline_allocations_begin(void) {
    count = 0;
    counting = 1;
}

unsigned long sightline_allocations_end(void) {
    counting = 0;
    return count;
}

#if defined(SANITIZED) || !defined(__GLIBC__) && !defined(__linux__)

int sightline_allocations_countable(void) { return 0; }

#else

int sightline_allocations_countable(void) { return 1; }

// The test program's own malloc stands before glibc's for every library that it loads; glibc's are
// reachable by their other names.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    if (counting) count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    if (counting) count++;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    if (counting) count++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (counting) count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (counting) count++;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return 12;  // ENOMEM
    *result = memory;
    return 0;
}

#endif
