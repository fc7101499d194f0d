package code

import (
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// str is a string on one line, in which a backslash hides the character behind it.
func str(mark string) quote {
	return quote{open: mark, shut: mark, style: row.String, escapes: true}
}

// long is a string that may go on over lines.
func long(open, shut string) quote {
	return quote{open: open, shut: shut, style: row.String, lines: true}
}

// escaped is [long] with escapes.
func escaped(open, shut string) quote {
	return quote{open: open, shut: shut, style: row.String, escapes: true, lines: true}
}

// comment is a comment that may go on over lines.
func comment(open, shut string) quote {
	return quote{open: open, shut: shut, style: row.Comment, lines: true}
}

func nested(open, shut string) quote {
	q := comment(open, shut)
	q.nests = true
	return q
}

var languages = lazy.Value[[]*Language]{Make: func() []*Language {
	all := append(families(), others()...)
	for _, l := range all {
		l.setUp()
	}
	return all
}}

// families are the languages with braces.
func families() []*Language {
	slash, c := []string{"//"}, comment("/*", "*/")
	return []*Language{
		{
			names: "go golang", files: "go.mod go.work", line: slash, calls: true, quotes: []quote{c, str(`"`), str("'"), long("`", "`")},
			words:  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
			consts: "true false nil iota",
		},
		{
			names: "js javascript ts typescript jsx tsx mjs cjs mts cts node", line: slash, calls: true, ident: "$", quotes: []quote{c, str(`"`), str("'"), escaped("`", "`")},
			words:  "abstract as asserts async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof var void while with yield any bigint boolean never number object string symbol unknown",
			consts: "true false null undefined NaN Infinity",
		},
		{
			names: "java", line: slash, calls: true, ident: "@", quotes: []quote{c, escaped(`"""`, `"""`), str(`"`), str("'")},
			words:  "abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var void volatile while yield boolean byte char double float int long short",
			consts: "true false null",
		},
		{
			names: "c h", line: slash, calls: true, ident: "#", quotes: []quote{c, str(`"`), str("'")},
			words:  cWords + " #include #define #if #ifdef #ifndef #else #elif #endif #undef #pragma #error",
			consts: "true false NULL nullptr",
		},
		{
			names: "cpp c++ cc cxx hpp hxx hh ino", line: slash, calls: true, ident: "#", quotes: []quote{c, long(`R"(`, `)"`), str(`"`), str("'")},
			words:  cWords + " alignas alignof and auto bool catch class co_await co_return co_yield concept consteval constexpr constinit const_cast decltype delete dynamic_cast explicit export final friend import module mutable namespace new noexcept not operator or override private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid typename using virtual wchar_t string vector #include #define #if #ifdef #ifndef #else #elif #endif #undef #pragma #error",
			consts: "true false NULL nullptr",
		},
		{
			names: "csharp c# cs", line: slash, calls: true, ident: "#", quotes: []quote{c, long(`"""`, `"""`), long(`@"`, `"`), str(`$"`), str(`"`), str("'")},
			words:  "abstract as async await base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern finally fixed float for foreach get global goto if implicit in init int interface internal is lock long namespace new nint object operator out override params partial private protected public readonly record ref required return sbyte sealed set short sizeof stackalloc static string struct switch this throw try typeof uint ulong unchecked unsafe ushort using var virtual void volatile when where while with yield #if #else #endif #region #endregion",
			consts: "true false null",
		},
		{
			names: "rust rs", line: slash, calls: true, quotes: []quote{nested("/*", "*/"), long(`r#"`, `"#`), long(`r"`, `"`), escaped(`"`, `"`), {open: `'"`, shut: "'", style: row.String}, {open: `'\\`, shut: "'", style: row.String}},
			words:  "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait type union unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Result Box",
			consts: "true false None Some Ok Err",
		},
		{
			names: "php php3 phtml", line: []string{"//", "#"}, calls: true, ident: "$", quotes: []quote{c, escaped(`"`, `"`), escaped("'", "'")},
			words:  "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield bool float int mixed never object string void self parent $this",
			consts: "true false null TRUE FALSE NULL",
		},
		{
			names: "kotlin kt kts", line: slash, calls: true, ident: "@", quotes: []quote{nested("/*", "*/"), long(`"""`, `"""`), str(`"`), str("'")},
			words:  "abstract actual annotation as break by catch class companion const constructor continue crossinline data do dynamic else enum expect external final finally for fun get if import in infix init inline inner interface internal is lateinit noinline object open operator out override package private protected public reified return sealed set super suspend tailrec this throw try typealias val var vararg when where while Any Boolean Byte Char Double Float Int List Long Map Short String Unit",
			consts: "true false null",
		},
		{
			names: "swift", line: slash, calls: true, ident: "@#", quotes: []quote{nested("/*", "*/"), escaped(`"""`, `"""`), str(`"`)},
			words:  "actor any as associatedtype async await break case catch class continue convenience default defer deinit do else enum extension fallthrough fileprivate final for func get guard if import in indirect infix init inout internal is lazy let mutating nonisolated open operator optional override postfix precedencegroup prefix private protocol public repeat required rethrows return self Self set some static struct subscript super switch throw throws try typealias unowned var weak where while willSet didSet Any Array Bool Character Dictionary Double Float Int Set String Void #if #else #endif #available",
			consts: "true false nil",
		},
		{
			names: "scala sbt", line: slash, calls: true, quotes: []quote{nested("/*", "*/"), long(`"""`, `"""`), str(`"`)},
			words:  "abstract case catch class def do else enum extends extension final finally for given if implicit import lazy match new object override package private protected return sealed super then this throw trait try type using val var while with yield",
			consts: "true false null None Some",
		},
		{
			names: "dart", line: slash, calls: true, quotes: []quote{c, escaped(`"""`, `"""`), escaped("'''", "'''"), str(`"`), str("'")},
			words:  "abstract as assert async await break case catch class const continue covariant default deferred do dynamic else enum export extends extension external factory final finally for get if implements import in interface is late library mixin new on operator part required rethrow return sealed set show static super switch sync this throw try typedef var void when while with yield bool double int num String List Map",
			consts: "true false null",
		},
		{
			names: "zig", line: slash, calls: true, ident: "@", quotes: []quote{{open: `\\`, shut: "\x00", style: row.String}, str(`"`), str("'")},
			words:  "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while bool f16 f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void noreturn type anyerror",
			consts: "true false null undefined",
		},
		{
			names: "proto protobuf", line: slash, quotes: []quote{c, str(`"`), str("'")},
			words:  "enum extend extensions import map message oneof option optional package public repeated required reserved returns rpc service stream syntax weak bool bytes double fixed32 fixed64 float int32 int64 sint32 sint64 string uint32 uint64",
			consts: "true false",
		},
	}
}

const cWords = "asm break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
