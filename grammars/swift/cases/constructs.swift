import Foundation
/// One of everything.
@objc class Shape: Base, Named {
    static let a = 1
    private var list: [Int?] = [1, nil]
    var size: Int { get { return list.count } set { list = [] } }
    init(_ x: Int, name: String = "n") { self.x = x }
    func walk<T>(items: T..., key: (Int) -> Void) throws -> [String: T] where T: Equatable {
        for (i, item) in items.enumerated() { if i > 2 { continue } else { break } }
        guard let v = list.first, v != nil else { return [:] }
        while true { repeat { n += 1 } while n < 5 }
        switch n { case 1, 2: fallthrough; case let x where x > 3: break; default: throw E.bad }
        do { try f() } catch { print("x \(error)") }
        let c = list.map { $0! + 1 }
        defer { c.f?() }
        return n > 0 ? [:] : [:]
    }
}
struct P { let x: Int }
enum E: Error { case bad; case some(Int) }
protocol Named { var name: String { get } }
extension P { func g() -> Int { return -1 } }
