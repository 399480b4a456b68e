subroutine show(text)
  integer :: text
  print *, text
end subroutine
program main
  integer :: count, total
  count = 1
  total = count
  call show(total)
end program
