// Linking this target is its use: TimeZone.c sets the zone of a test process before its first test.
#ifndef SIGHTLINE_CTIMEZONE_H
#define SIGHTLINE_CTIMEZONE_H

#endif
