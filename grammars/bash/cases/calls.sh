show() {
  echo "$1"
}
count=1
total=$count
show "$total"
