// SPDX-License-Identifier: MIT
pragma solidity >=0.8.4 <0.9.0;
pragma abicoder v2;

import "./lib.sol";
import "./other.sol" as Other;
import {One, Two as Three} from "./parts.sol";
import * as All from "./all.sol";

uint256 constant LIMIT = 10 * 1e18;

type Price is uint128;

enum State { Idle, Running, Done }

struct Point {
    uint256 x;
    mapping(address => uint256[]) ys;
    Other.Kind kind;
}

error Refused(address who, uint256);

event Opened(address indexed who, uint256 value) anonymous;

function twice(uint256 a) pure returns (uint256) {
    return a * 2;
}

/// @notice An interface.
interface Token is Base {
    function transfer(address to, uint256 amount) external returns (bool);
}

library Tools {
    function least(uint256 a, uint256 b) internal pure returns (uint256) {
        return a < b ? a : b;
    }
}

abstract contract Owned is Base(1), Token {
    address payable public immutable owner = payable(msg.sender);
    bytes32 internal constant ROLE = keccak256("ROLE");
    uint8[3] private table = [1, 2, 3];
    function(uint256) external pure returns (uint256) callback;

    using Tools for uint256;
    using {twice, Tools.least as +} for uint256 global;

    modifier onlyOwner(uint256 floor) virtual {
        require(msg.sender == owner && floor != 0, "not the owner");
        _;
    }

    constructor(string memory name) Base(2) payable {
        delete table;
    }

    receive() external payable {}

    fallback(bytes calldata input) external returns (bytes memory) {}

    function run(uint256 n, Point storage p) public virtual override(Base, Token) onlyOwner(1) returns (uint256 sum, bool) {
        uint256 i;
        (uint256 a, , bool ok) = f(n);
        (i, ok) = (1, true);
        for (uint256 j = 0; j < n; j++) {
            if (j % 2 == 0) continue;
            else break;
        }
        while (!ok) i += 1;
        do {
            unchecked { --i; }
        } while (i > 0);
        try this.other{value: 1 ether, gas: 5}(n) returns (uint256 v) {
            sum = v;
        } catch Error(string memory reason) {
            revert(reason);
        } catch {
            revert Refused({who: owner, code: 3});
        }
        emit Opened(msg.sender, block.timestamp - 2 days);
        Point memory q = Point({x: 1, kind: Other.Kind.A});
        bytes memory data = abi.encodePacked(hex"00ff", unicode"é", 'x', address(this), type(uint256).max);
        uint256[] memory list = new uint256[](n);
        list[0] = uint256(uint160(owner)) ** 2 >> 3 & ~i | 0x1F;
        assembly ("memory-safe") {
            let x := mload(0x40)
            function g(u, v) -> w { w := add(u, v) }
            for { let k := 0 } lt(k, 3) { k := add(k, 1) } {
                if eq(k, 1) { continue }
                switch k
                case 0 { x := "a" }
                default { break }
            }
            sstore(p.slot, g(x, 1))
        }
        return (data[1:2].length, -1 < int256(n) || false);
    }
}
