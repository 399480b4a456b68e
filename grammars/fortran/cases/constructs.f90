! One of everything.
module m
  implicit none
  integer, parameter :: n = 4
  type :: shape
    real :: x = 1.5
    character(len=10) :: name
  end type shape
  interface
    function g(x) result(y)
      integer, intent(in) :: x
      integer :: y
    end function g
  end interface
contains
  subroutine s(a, b)
    real, dimension(:), intent(inout) :: a
    integer, optional :: b
    integer :: i
    do i = 1, n
      if (a(i) > 1.0 .and. present(b)) then
        cycle
      else if (i == 2) then
        exit
      else
        a(i) = -a(i) ** 2
      end if
    end do
    select case (b)
    case (1, 2)
      call t(a)
    case default
      stop
    end select
  end subroutine s
  pure function f(x) result(r)
    real, intent(in) :: x
    real :: r
    r = sqrt(x) + [1.0, 2.0]
  end function f
end module m
program main
  use m, only: s
  print *, "text", .true.
  write (*, '(a)') 'x'
end program main
