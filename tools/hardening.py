#!/usr/bin/env python3
"""What a program was built with against errors of memory: hardening.py PROGRAM

Prints one line for each protection that the program lacks, and fails if there is one. It reads the ELF file itself, so that it
needs no binutils; instructions are looked for on x86-64 only. A program that was built with a sanitizer is not looked at: it
has checks of its own.
"""

import re
import struct
import sys
from pathlib import Path

LOAD, DYNAMIC, INTERP = 1, 2, 3
GNU_STACK, GNU_RELRO, GNU_PROPERTY = 0x6474E551, 0x6474E552, 0x6474E553
EXECUTE, WRITE = 1, 2
SYMTAB, DYNSYM = 2, 11
FUNCTION, GLOBAL, WEAK = 2, 1, 2
DT_FLAGS, DT_FLAGS_1 = 30, 0x6FFFFFFB
X86_64 = 62
ENDBR64 = b"\xf3\x0f\x1e\xfa"
STACK_PROBE = b"\x48\x83\x0c\x24\x00"  # orq $0, (%rsp)
CANARY = re.compile(rb"\x64[\x48\x4c][\x8b\x2b\x33][\x04-\x3c]\x25\x28\x00\x00\x00", re.DOTALL)  # %fs:0x28
CODE_PER_CANARY = 64 * 1024  # bytes, at most, in code of which most functions have local objects
SANITIZERS = ("__asan_init", "__tsan_init")


class NotElf(Exception):
    """The file is no program that can be looked at."""


class Program:
    """The parts of a 64-bit little-endian ELF file that say how it was built."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise NotElf("no 64-bit little-endian ELF file")
        self.data = data
        (self.machine,) = struct.unpack_from("<H", data, 18)
        at, self.sections_at = struct.unpack_from("<QQ", data, 32)
        size, count, self.section_size, self.section_count = struct.unpack_from("<HHHH", data, 54)
        self.segments = [struct.unpack_from("<IIQQQQQQ", data, at + i * size) for i in range(count)]

    def segment(self, kind):
        return next((s for s in self.segments if s[0] == kind), None)

    def content(self, segment):
        return self.data[segment[2]:segment[2] + segment[5]]

    def flags(self, tag):
        dynamic = self.segment(DYNAMIC)
        entries = struct.iter_unpack("<QQ", self.content(dynamic)) if dynamic else ()
        return next((value for each, value in entries if each == tag), 0)

    def code(self):
        return b"".join(self.content(s) for s in self.segments if s[0] == LOAD and s[1] & EXECUTE)

    def symbols(self, kind):
        """(name, binding, type, section, address) of a table of symbols; none where it was stripped."""
        sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, self.sections_at + i * self.section_size)
                    for i in range(self.section_count)]
        for _, each, _, _, at, size, link, *_ in sections:
            if each != kind:
                continue
            names = sections[link][4]
            for offset in range(at, at + size, 24):
                name, info, _, section, address, _ = struct.unpack_from("<IBBHQQ", self.data, offset)
                start = names + name
                yield (self.data[start:self.data.index(b"\0", start)].decode(), info >> 4, info & 15, section, address)

    def at(self, address, size):
        for kind, _, offset, start, _, length, *_ in self.segments:
            if kind == LOAD and start <= address < start + length:
                return self.data[offset + address - start:][:size]
        return b""


def imports(program):
    return {name for name, _, _, section, _ in program.symbols(DYNSYM) if section == 0}


def is_sanitized(program):
    return not imports(program).isdisjoint(SANITIZERS) or any(
        name in SANITIZERS for name, *_ in program.symbols(SYMTAB))


def has_shadow_stack(program):
    """NT_GNU_PROPERTY_TYPE_0 with GNU_PROPERTY_X86_FEATURE_1_AND and its bit SHSTK (System V ABI, x86-64 psABI 1.0)."""
    segment = program.segment(GNU_PROPERTY)
    note = program.content(segment) if segment else b""
    at = 16
    while at + 8 <= len(note):
        kind, size = struct.unpack_from("<II", note, at)
        if kind == 0xC0000002 and struct.unpack_from("<I", note, at + 8)[0] & 2:
            return True
        at += 8 + (size + 7) // 8 * 8
    return False


def functions_without_landing_pad(program):
    """Functions of dray that others may call by their address, and that do not begin with endbr64."""
    return [name for name, binding, kind, section, address in program.symbols(SYMTAB)
            if kind == FUNCTION and binding in (GLOBAL, WEAK) and section != 0 and re.match("_ZN?K?4dray", name)
            and program.at(address, 4) != ENDBR64]


def missing_in_code(program, called):
    if program.machine != X86_64:
        return
    code = program.code()
    found = len(CANARY.findall(code))
    if found * CODE_PER_CANARY < len(code):
        yield f"stack protector: {found} uses in {len(code)} bytes of code: build with -fstack-protector-strong"
    if STACK_PROBE not in code:
        yield "stack clash: no large frame is probed: build with -fstack-clash-protection"
    if not has_shadow_stack(program):
        yield "shadow stack: no mark SHSTK: build with -fcf-protection=full, link with -z shstk"
    unmarked = functions_without_landing_pad(program)
    if unmarked or ENDBR64 not in code:
        which = f" {unmarked[0]} and {len(unmarked) - 1} more" if unmarked else ""
        yield f"landing pads: functions without endbr64{which}: build with -fcf-protection=full"


def missing(program):
    """What the program lacks, a line each."""
    called = imports(program)
    if not program.flags(DT_FLAGS_1) & 0x08000000 or not program.segment(INTERP):
        yield "PIE: its addresses are fixed: build with -fPIE, link with -pie"
    if not program.segment(GNU_RELRO):
        yield "RELRO: no segment is made read-only: link with -z relro"
    if not program.flags(DT_FLAGS) & 8 and not program.flags(DT_FLAGS_1) & 1:
        yield "immediate binding: the table of functions stays writable: link with -z now"
    stack = program.segment(GNU_STACK)
    if not stack or stack[1] & EXECUTE:
        yield "stack: it is executable: link with -z noexecstack"
    if any(s[0] == LOAD and s[1] & EXECUTE and s[1] & WRITE for s in program.segments):
        yield "memory: a segment is writable and executable"
    if "__stack_chk_fail" not in called:
        yield "stack protector: __stack_chk_fail is never called: build with -fstack-protector-strong"
    if not any(name.endswith("_chk") for name in called):
        yield "_FORTIFY_SOURCE: no checked function is called: build with -O2 -D_FORTIFY_SOURCE=3"
    yield from missing_in_code(program, called)


def main():
    path = Path(sys.argv[1])
    try:
        program = Program(path.read_bytes())
    except (OSError, NotElf) as error:
        raise SystemExit(f"{path}: {error}") from error
    if is_sanitized(program):
        print(f"{path}: skipped: built with a sanitizer")
        return
    lacks = list(missing(program))
    for line in lacks:
        print(f"{path}: {line}")
    raise SystemExit(bool(lacks))


if __name__ == "__main__":
    main()
