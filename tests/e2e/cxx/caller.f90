! SPDX-License-Identifier: Apache-2.0
program caller
  use iso_c_binding
  implicit none
  interface
    subroutine saxpy(n, a, x, y) bind(c, name='saxpy')
      import :: c_int, c_float
      integer(c_int), value :: n
      real(c_float), value :: a
      real(c_float), intent(in) :: x(*)
      real(c_float), intent(inout) :: y(*)
    end subroutine
  end interface
  integer, parameter :: n = 4000
  real(c_float) :: x(n), y(n)
  integer :: i
  x = [(real(mod(i, 13)), i = 1, n)]
  y = 1
  do i = 1, 4
    call saxpy(n, 2.0, x, y)
  end do
  if (all(y == 1 + 8 * x)) then
    print '(a)', 'right'
  else
    print '(a)', 'wrong'
  end if
end program
