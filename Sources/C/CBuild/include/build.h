// What a build knows of its source.
#ifndef SIGHTLINE_CBUILD_H
#define SIGHTLINE_CBUILD_H

// The commit, or "unknown": SIGHTLINE_COMMIT in the environment of the build.
const char *sightline_commit(void);

#endif
