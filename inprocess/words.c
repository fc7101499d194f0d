#include "words.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	const uint8_t *at, *end;
};

static void skip_space(struct reader *r) {
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

// next_is skips white space and one character, if that is next.
static bool next_is(struct reader *r, uint8_t c) {
	skip_space(r);
	if (r->at == r->end || *r->at != c) return false;
	r->at++;
	return true;
}

static bool read_hex(struct reader *r, uint32_t *code) {
	if (r->end - r->at < 4) return false;
	*code = 0;
	for (int i = 0; i < 4; i++) {
		uint8_t c = *r->at++;
		uint32_t digit;
		if (c >= '0' && c <= '9') digit = c - '0';
		else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
		else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
		else return false;
		*code = *code << 4 | digit;
	}
	return true;
}

// read_code reads what follows \u, with its second half if it has one, and writes it in UTF-8.
static bool read_code(struct reader *r, char **to) {
	uint32_t code, low;
	if (!read_hex(r, &code) || code == 0 || (code >= 0xdc00 && code < 0xe000)) return false;
	if (code >= 0xd800 && code < 0xdc00) {
		if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') return false;
		r->at += 2;
		if (!read_hex(r, &low) || low < 0xdc00 || low >= 0xe000) return false;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	char *w = *to;
	if (code < 0x80) {
		*w++ = (char)code;
	} else if (code < 0x800) {
		*w++ = (char)(0xc0 | code >> 6);
		*w++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*w++ = (char)(0xe0 | code >> 12);
		*w++ = (char)(0x80 | (code >> 6 & 0x3f));
		*w++ = (char)(0x80 | (code & 0x3f));
	} else {
		*w++ = (char)(0xf0 | code >> 18);
		*w++ = (char)(0x80 | (code >> 12 & 0x3f));
		*w++ = (char)(0x80 | (code >> 6 & 0x3f));
		*w++ = (char)(0x80 | (code & 0x3f));
	}
	*to = w;
	return true;
}

// read_string returns the next string in memory of its own; null if there is none.
static char *read_string(struct reader *r) {
	if (!next_is(r, '"')) return NULL;
	char *text = malloc((size_t)(r->end - r->at) + 1); // a string is never longer than how it is written
	if (!text) return NULL;
	char *w = text;
	while (r->at < r->end) {
		uint8_t c = *r->at++;
		if (c == '"') {
			*w = 0;
			char *fitting = realloc(text, (size_t)(w - text) + 1);
			return fitting ? fitting : text;
		}
		if (c < 0x20) break;
		if (c != '\\') {
			*w++ = (char)c;
			continue;
		}
		if (r->at == r->end) break;
		bool known = true;
		switch (c = *r->at++) {
		case '"': case '\\': case '/': *w++ = (char)c; break;
		case 'b': *w++ = '\b'; break;
		case 'f': *w++ = '\f'; break;
		case 'n': *w++ = '\n'; break;
		case 'r': *w++ = '\r'; break;
		case 't': *w++ = '\t'; break;
		case 'u': known = read_code(r, &w); break;
		default: known = false;
		}
		if (!known) break;
	}
	free(text);
	return NULL;
}

static bool add(struct words *words, char *text) {
	if (!text) return false;
	char **more = realloc(words->at, (words->count + 1) * sizeof *more);
	if (!more) {
		free(text);
		return false;
	}
	words->at = more;
	words->at[words->count++] = text;
	return true;
}

static bool read_members(struct words *words, struct reader *r, bool object) {
	uint8_t close = object ? '}' : ']';
	if (!next_is(r, object ? '{' : '[')) return false;
	if (!next_is(r, close)) {
		do {
			if (!add(words, read_string(r))) return false;
			if (object && !(next_is(r, ':') && add(words, read_string(r)))) return false;
		} while (next_is(r, ','));
		if (!next_is(r, close)) return false;
	}
	skip_space(r);
	return r->at == r->end;
}

static bool words_of(struct words *words, const uint8_t *json, size_t length, bool object) {
	struct reader r = {json, json + length};
	*words = (struct words){0};
	if (json && read_members(words, &r, object)) return true;
	words_free(words);
	return false;
}

bool words_of_array(struct words *words, const uint8_t *json, size_t length) {
	return words_of(words, json, length, false);
}

bool words_of_object(struct words *words, const uint8_t *json, size_t length) {
	return words_of(words, json, length, true);
}

void words_free(struct words *words) {
	for (size_t i = 0; i < words->count; i++) free(words->at[i]);
	free(words->at);
	*words = (struct words){0};
}
