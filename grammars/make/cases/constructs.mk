# One of everything.
CC ?= cc
CFLAGS += -O2 $(EXTRA)
VERSION := $(shell cat VERSION)
SOURCES = $(wildcard *.c) main.c
define compile
	$(CC) -c -o $@ $<
endef
include config.mk
-include local.mk
export CC
unexport DEBUG
.PHONY: all clean
ifeq ($(DEBUG),1)
CFLAGS += -g
else
CFLAGS += -DNDEBUG
endif
ifdef PREFIX
X = 1
endif
all: program
program: $(SOURCES:.c=.o) | build
	@echo linking $@
	-$(CC) -o $@ $^
%.o: %.c config.h
	$(compile)
build:; mkdir -p $@
clean: ; rm -f *.o
