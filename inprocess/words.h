// The two JSON texts that a host is started with: an array of strings, and an object of strings.
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A list of strings, each with a zero byte behind it.
struct words {
	char **at;
	size_t count;
};

// Reads an array of strings. False if the text is anything else, a string has a zero byte, or memory runs out; words is
// empty then.
bool words_of_array(struct words *words, const uint8_t *json, size_t length);

// Reads an object of strings: names and values in turn.
bool words_of_object(struct words *words, const uint8_t *json, size_t length);

void words_free(struct words *words);

#endif
