#include "CTimeZone.h"

#include <stdlib.h>
#include <time.h>

// A process has one time zone for all its threads. All tests run in central Europe, whose clocks change, wherever the machine
// is. The rule is that of Europe/Berlin, as POSIX writes it: it needs no zone files.
__attribute__((constructor)) static void set_time_zone(void) {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
}
