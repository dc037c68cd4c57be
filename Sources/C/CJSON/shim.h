// json-c 0.16 or later. Only names that 0.16 to 0.18 share.
#ifndef SIGHTLINE_CJSON_H
#define SIGHTLINE_CJSON_H

#include <string.h>

#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/linkhash.h>
#include <json-c/json_tokener.h>

#endif
