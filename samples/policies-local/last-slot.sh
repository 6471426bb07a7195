#!/bin/sh
# The candidates in the reverse of their order. Input:
#   {"job":"1","tasks":2,"nodes":2,...,"candidates":[{"node":"n1","tasks":1,"slot":1,...},...]}
grep -o '"node":"[^"]*"' | cut -d'"' -f4 | tac | sed 's/.*/"&"/' | paste -sd, - | sed 's/.*/[&]/'
