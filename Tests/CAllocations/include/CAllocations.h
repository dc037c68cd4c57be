// Counts the heap allocations of the calling thread.
#ifndef SIGHTLINE_CALLOCATIONS_H
#define SIGHTLINE_CALLOCATIONS_H

// Whether allocations can be counted: not where a sanitizer has its own allocator.
int sightline_allocations_countable(void);

// Begins to count, from zero.
void sightline_allocations_begin(void);

// Ceases to count; the allocations since the beginning.
unsigned long sightline_allocations_end(void);

#endif
