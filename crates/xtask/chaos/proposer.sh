#!/bin/sh
for said in 'crash(); i < 10' 'crash(i < 10, 7, 8);'; do
  echo "{\"content\": \"$(printf %s "$said" | base64)\"}"
done
