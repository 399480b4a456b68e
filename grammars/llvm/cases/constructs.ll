; One of everything.
source_filename = "a.c"
target datalayout = "e-m:e-p:64:64"
target triple = "x86_64-pc-linux-gnu"
%struct.s = type { i32, [4 x i8], ptr, <4 x float> }
@g = private unnamed_addr constant [3 x i8] c"ab\00", align 1
@v = external global i32, align 4
@w = global %struct.s zeroinitializer
declare i32 @puts(ptr nocapture) #1
define dso_local i32 @f(i32 %n, ptr noundef %p) #0 !dbg !5 {
entry:
  %a = alloca i32, align 4
  store i32 %n, ptr %a, align 4
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %then, label %end
then:
  %x = load i32, ptr %a, align 4
  %y = add nsw i32 %x, 1
  %z = call i32 @puts(ptr @g), !dbg !6
  %e = getelementptr inbounds %struct.s, ptr %p, i64 0, i32 1
  %s = select i1 %c, i32 %y, i32 undef
  switch i32 %s, label %end [ i32 1, label %then
    i32 2, label %end ]
end:
  %r = phi i32 [ 0, %entry ], [ %y, %then ]
  %f = sitofp i32 %r to double
  %q = fmul double %f, 1.5
  ret i32 %r
}
attributes #0 = { noinline nounwind "frame-pointer"="all" }
attributes #1 = { nounwind }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
!5 = distinct !DISubprogram(name: "f", scope: !6, line: 1)
!6 = !{}
