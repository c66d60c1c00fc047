"""What scripts/predict_throughput makes of disassembled code, before LLVM is asked: the innermost loop with the most
multiply-adds, how many those are, and a text that an assembler reads."""

import unittest

import summand_testing

MODULE = summand_testing.script("predict_throughput")

# A loop of two multiply-adds around one of one, and after both one that only multiplies: of 16, 16 and 4 elements.
X86 = """
kernel.o:	file format elf64-x86-64

Disassembly of section .text:

0000000000000000 <kernel>:
       0:      	xorl	%eax, %eax
       2:      	vfmadd231ps	(%rcx), %zmm2, %zmm1 # zmm1 = (zmm2 * mem) + zmm1
       8:      	vfmadd231ps	(%rcx), %zmm2, %zmm3 # zmm3 = (zmm2 * mem) + zmm3
       e:      	vfmadd231ps	%ymm2, %ymm4, %ymm5 {%k1} # ymm5 {%k1} = (ymm4 * ymm2) + ymm5
      14:      	jne	0xe <kernel+0xe>
      16:      	jne	0x2 <kernel+0x2>
      18:      	vmulps	%xmm0, %xmm1, %xmm2
      1c:      	jmp	0x18 <kernel+0x18>
      1e:      	callq	0x2 <kernel+0x2>
"""

ARM = """
kernel.o:	file format elf64-littleaarch64

0000000000000000 <kernel>:
       0:      	ldr	q1, [x0, #0x10]
       4:      	fmla	v0.4s, v1.4s, v2.s[0]
       8:      	sdot	v3.4s, v4.16b, v5.4b[1]
       c:      	cbnz	x3, 0x4 <kernel+0x4>
"""


def instruction(text):
    mnemonic, _, operands = text.partition(" ")
    return MODULE.Instruction(0, mnemonic, operands)


class Counting(unittest.TestCase):
    def counts(self, is_arm, expected):
        for text, count in expected.items():
            with self.subTest(text):
                self.assertEqual(MODULE.multiply_adds(instruction(text), is_arm), count)

    def test_multiply_adds_of_x86(self):
        self.counts(False, {
            "vfmadd231ps %zmm0, %zmm1, %zmm2": 16, "vfmadd132pd (%rax), %ymm1, %ymm2": 4, "vfnmadd213ss %xmm0, %xmm1, %xmm2": 1,
            "vpdpbusd (%rcx), %zmm2, %zmm1": 64, "vdpbf16ps %zmm0, %zmm1, %zmm2": 32, "vpdpwssd %ymm0, %ymm1, %ymm2": 16,
            "vmulsd %xmm0, %xmm1, %xmm2": 1, "mulps %xmm0, %xmm1": 4, "vpmaddubsw %ymm0, %ymm1, %ymm2": 32, "vaddps %ymm0, %ymm1, %ymm2": 0,
        })  # fmt: skip

    def test_multiply_adds_of_arm(self):
        self.counts(True, {
            "fmla v0.4s, v1.4s, v2.s[0]": 4, "fmla v0.8h, v1.8h, v2.8h": 8, "fmla v0.2d, v1.2d, v2.2d": 2, "fmadd s0, s1, s2, s3": 1,
            "sdot v0.4s, v1.16b, v2.16b": 16, "udot v0.2s, v1.8b, v2.8b": 8, "smmla v0.4s, v1.16b, v2.16b": 32,
            "usmmla v0.4s, v1.16b, v2.16b": 32, "bfdot v0.4s, v1.8h, v2.8h": 8, "bfmmla v0.4s, v1.8h, v2.8h": 16,
            "smlal2 v0.4s, v1.8h, v2.8h": 4, "fmla z0.s, p0/m, z1.s, z2.s": 4, "fadd v0.4s, v1.4s, v2.4s": 0,
        })  # fmt: skip

    def test_what_adds_pairs_of_byte_products_is_no_product_of_its_own(self):
        loop = [instruction("vpmaddubsw %ymm0, %ymm1, %ymm2"), instruction("vpmaddwd %ymm2, %ymm3, %ymm2")]
        self.assertEqual(MODULE.of_loop(loop, False), 32)
        self.assertEqual(MODULE.of_loop(loop[1:], False), 16)

    def test_multiplications_count_where_nothing_adds_as_well(self):
        loop = [instruction("vmulps %zmm0, %zmm1, %zmm2"), instruction("vfmadd231ps %zmm0, %zmm1, %zmm2")]
        self.assertEqual(MODULE.of_loop(loop, False), 16)
        self.assertEqual(MODULE.of_loop(loop[:1], False), 16)


class Loops(unittest.TestCase):
    def test_the_innermost_loop_with_the_most_multiply_adds_is_taken(self):
        count, name, loop = MODULE.hottest(MODULE.functions(X86), False)
        self.assertEqual((count, name, [one.address for one in loop]), (8, "kernel", [0xE, 0x14]))
        addresses = [[one.address for one in loop] for loop in MODULE.innermost_loops(MODULE.functions(X86)["kernel"])]
        self.assertEqual(addresses, [[0xE, 0x14], [0x18, 0x1C]])

    def test_of_arm_too(self):
        count, _, loop = MODULE.hottest(MODULE.functions(ARM), True)
        self.assertEqual((count, [one.address for one in loop]), (20, [4, 8, 12]))

    def test_comments_go_and_numbers_stay(self):
        texts = [one.text() for one in MODULE.functions(ARM)["kernel"]]
        self.assertEqual(texts[0], "ldr q1, [x0, #0x10]")
        self.assertEqual(texts[3], "cbnz x3, 0x4")
        self.assertEqual(MODULE.functions(X86)["kernel"][1].text(), "vfmadd231ps (%rcx), %zmm2, %zmm1")


if __name__ == "__main__":
    unittest.main()
