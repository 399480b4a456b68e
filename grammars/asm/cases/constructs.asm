; Assembly for NASM and YASM, then for GNU as.
%include "macros.inc"
%define SIZE 16
%define twice(x) ((x) * 2)
%macro prologue 1-2 0
	push rbp
%%start:
	mov rbp, rsp
	sub rsp, %1
%endmacro
%if SIZE > 8 && 1
	%assign i 0
%elif SIZE = 3
	nop
%else
	%error no
%endif
%rep 2
	db i
%endrep
[bits 64]
section .data align=16
message: db "hello", 10, 'x', 0
length equ $ - message
table times 10 dd 0
big dq 1 + 2 * 3, -1 << 4, ~5, 0FFh
buffer: resb 64
struc point
.x: resd 1
.y: resd 1
endstruc
section .text
global _start
extern printf
_start:
	prologue 16, 1
	mov rax, [rbx + rcx * 4 + 8]
	mov dword [rsp - 4], SIZE
	lea rdi, [rel message]
	mov eax, [fs:0x28]
	vaddps zmm0 {k1}{z}, zmm1, [rax]
	lock inc dword [twice(SIZE)]
.loop:
	dec ecx
	jnz .loop
	call printf wrt ..plt
	ret

	.file	"f.c"
	.section	.rodata.str1.1, "aMS", @progbits, 1
.LC0:
	.string	"%d \"\n"
	.p2align 4,,15
	.globl main
	.type main, @function
main:
.LFB0:
	.cfi_startproc
	movq	-8(%rbp, %rax, 4), %rdx	# a comment
	leaq	.LC0(%rip), %rdi /* another */
	movl	$5, %fs:(%eax)
	call	*%rax
	call	printf@PLT
	jmp	1f
1:	ldr	r0, [r1, #4]!
	stmfd	sp!, {r4-r7, lr}
	add	x0, x0, :lo12:table	// and one more
	ldr	r2, =main
	lui	a0, %hi(table)
	.cfi_endproc
	.size	main, .-main
	.long	.LC0-main
	count = 3
	.set	other, count
	.macro	load reg, from=1
	mov	\reg, \from\()b
	.endm
	.ifdef	count
	load	eax
	.elseif	count == 2
	nop
	.else
	.err
	.endif
	.rept	3
	nop
	.endr
#include <x.h>
#if defined(X)
	nop
#elif Y
	hlt
#else
	ret
#endif
