// One of everything.
#import <Foundation/Foundation.h>
@class B;
@protocol P <NSObject>
@required
- (void)run;
@end
@interface A : NSObject <P> {
  int x;
}
@property (nonatomic, strong) NSString *name;
+ (instancetype)make:(int)a with:(id)b;
@end
@implementation A
- (void)run {
  NSArray *a = @[ @1, @"two" ];
  NSDictionary *d = @{ @"k" : @(1 + 2) };
  for (id y in a) { [y description]; }
  if (x > 1) { return; } else { x = -x; }
  [A make:1 with:nil];
  void (^block)(int) = ^(int z) { x = z; };
  block(2);
  @try { [self run]; } @catch (NSException *e) { } @finally { }
  SEL s = @selector(run);
}
@end
int main(void) {
  @autoreleasepool { return 0; }
}
