# One of everything.
require "set"
module Space
  class Shape < Base
    include Comparable
    attr_reader :name
    SIDES = [1, 2, *rest].freeze
    @@count = 0
    def initialize(a, b = 2, *rest, key:, opt: 1, **others, &block)
      @name = "n #{a} x"; super(a)
    end
    def self.make(...) = new(...)
    def each
      return to_enum unless block_given?
      @list.each_with_index { |x, i| yield x if i > 1 }
      [1, 2].map do |v| next if v.nil?; v ** 2 end
      if a == 1 && !b then c elsif d then e else f end
      while true do break end
      for i in 0..10 do redo end
      case x when 1, 2 then :a when String then "b" else nil end
      case h
      in { k: Integer => v, **rest } if v > 1 then v
      in [first, *] then first
      end
      begin
        raise ArgumentError, 'bad'
      rescue TypeError, KeyError => e
        retry
      ensure
        puts e&.message
      end
      h = { "a" => 1, b: 2, "c": 3 }
      x ||= y ? 1.5 : -2r
      ->(q) { q + 1 }.call(%w[a b], /re+/i, :sym)
    end
    alias old each
    private
  end
end
