#!/bin/sh
# slug TITLE: how a page's title is written in its URL.
title=$(printf '%s' "$1" | tr 'A-Z' 'a-z')
printf '%s\n' "$title" | tr ' ' '_'
