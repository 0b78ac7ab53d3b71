/**
 * The advances of Inter Regular in thousandths of its size, base 36, from the first code of each range. The page and the
 * server lay charts out with these, so that both agree: neither asks its own fonts.
 */
const ranges: readonly (readonly [first: number, advances: string])[] = [
  [
    0x20,
    "7t 80 cy hl hu ra hw 8c a5 a5 dx ie 80 cs 80 a0 hj bb gy h6 hy gh h8 fq h7 h8 80 8e ie ie ie e7 qu j6 i6 ka k2 gp ge kq kn 7h fv io fp p3 kx l9 hr l9 hw hu hy ko j6 rd iy iv hh a5 a0 a5 d3 co 8z fm h0 fv h0 g7 aa h1 gf 6q 6q f9 6q oc gf go h0 h0 ag eo 93 gf fm mq f6 fm fc bu 99 bu ie",
  ],
  [
    0xa0,
    "7t 80 fv gz k5 fa 7i fs gf pe cm g7 ie 0 ii da co ie ca ce 8z ga gr 80 7g 8g de g7 ma nj oi e7 j6 j6 j6 j6 j6 j6 rm ka gp gp gp gp 7h 7h 7h 7h kf kx l9 l9 l9 l9 l9 ie l9 ko ko ko ko iv ho h4 fm fm fm fm fm fm ph fv g7 g7 g7 g7 6q 6q 6q 6q g7 gf go go go go go ie go gf gf gf gf fm h0 fm j6 fm j6 fm j6 fm ka fv ka fv ka fv ka fv k2 jq kf h0 gp g7 gp g7 gp g7 gp g7 gp g7 kq h1 kq h1 kq h1 kq h1 kn gf lk gf 7h 6q 7h 6q 7h 6q 7h 6q 7h 6q nb dg fv 6q io f9 el fp 6q fp 6q fp 9g fn 9z gj 6q kx gf kx gf kx gf 0 kx gf l9 go l9 go l9 go rx rs hw ag hw ag hw ag hu eo hu eo hu eo hu eo hy 93 hy ag hy 93 ko gf ko gf ko gf ko gf ko gf ko gf rd mq iv fm iv hh fc hh fc hh fc 8q",
  ],
  [
    0x370,
    "0 0 0 0 7f 7h kx 0 0 0 7g fv fv fv 8e fv 0 0 0 0 7i ip j6 80 ki og ba 0 ny 0 oe o7 7n j6 i6 g3 ix gp hh kn l9 7h io j6 p3 kx i8 l9 kn hr 0 j5 hy iv og iy og le 7h iv ig ex gf 7n gf ig gk fm g8 ex e5 gf h9 7n el hu ga gb fj go gt h0 ft hc cy gf k1 ft lm md 7n gf go gf md io hm hn in nh in j1 ms el 0 0 0 0 gh eu 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 k5 hm fv 6q l9 ci ci 0 0 ka p3 0 h0 ka ka ka",
  ],
  [
    0x400,
    "gp gp nd g3 ka hu 7h 7h fv ux v9 ok io kx hg k2 j6 hy i6 g3 mr gp qo h6 kx kx io ks p3 kn l9 kn hr ka hy hg n0 iy k1 jg qm r0 mo oj i1 ka s7 hw fm gi fp c4 h1 g7 mi dq gf gf f2 fz le gc go gc h0 fv cy fm j3 f6 gl g2 mu n9 hw kg fj fv nf fe g7 g7 gf c4 fv eo 6q 6q 6q po ow gf f2 gf fm gc",
  ],
  [0x2009, "52 2j 0 0 0 0 0 9y 9y i0 dw rs rs db cl 79 79 6p 79 c8 c8 bp c8 dn dn fn fn 80 g0 o0"],
  [0x202f, "52"],
  [0x20ac, "ij"],
  [0x2212, "ie"],
];

const advances = new Map<number, number>();
for (const [first, text] of ranges) {
  for (const [index, advance] of text.split(" ").entries()) {
    if (advance !== "0") advances.set(first + index, Number.parseInt(advance, 36) / 1000);
  }
}

/** Semibold letters are wider by this on average. */
const semiboldScale = 1.04;
const wide = 1;
const unknown = 0.62;

export type FontWeight = 400 | 600;

/** The width of a text in pixels. Letters outside of the table are estimated: those of East Asia are as wide as high. */
export function textWidth(text: string, size: number, weight: FontWeight = 400): number {
  let ems = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    ems += advances.get(code) ?? (code >= 0x2e80 ? wide : unknown);
  }
  return ems * size * (weight === 600 ? semiboldScale : 1);
}

/** The text, cut with an ellipsis if it is wider than there is room. */
export function fitText(text: string, room: number, size: number, weight: FontWeight = 400): string {
  if (textWidth(text, size, weight) <= room) return text;
  const letters = [...text];
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(`${letters.slice(0, middle).join("")}…`, size, weight) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "…" : `${letters.slice(0, low).join("").trimEnd()}…`;
}
