#include "build.h"

#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)

const char *sightline_commit(void) { return TEXT_OF(SIGHTLINE_COMMIT); }
