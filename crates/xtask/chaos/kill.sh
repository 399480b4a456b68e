#!/bin/sh
if [ -n "$KILLAT" ]; then
  echo >> "$COUNT"
  [ "$(wc -l < "$COUNT")" -ge "$KILLAT" ] && kill -KILL $PPID
fi
