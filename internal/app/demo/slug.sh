#!/bin/sh
# slug TITLE: how a title stands in the address of its page.
title=$(printf '%s' "$1" | tr 'A-Z' 'a-z')
printf '%s\n' "$title" | tr ' ' '_'
