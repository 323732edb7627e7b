/**
 * What the word index folds, as its tokenizer (`unicode61`, `remove_diacritics=1`) does it. A test reads the same facts
 * back from the engine, one code point after the other.
 */

/** Letters with one diacritic, under the letter the index keeps. Letters with two diacritics are not folded. */
export const BASE_LETTERS: Readonly<Record<string, string>> = {
  a: "ÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎȀȁȂȃȦȧḀḁẠạẢả\u212b",
  b: "ḂḃḄḅḆḇ",
  c: "ÇçĆćĈĉĊċČč",
  d: "ĎďḊḋḌḍḎḏḐḑḒḓ",
  e: "ÈÉÊËèéêëĒēĔĕĖėĘęĚěȄȅȆȇȨȩḘḙḚḛẸẹẺẻẼẽ",
  f: "Ḟḟ",
  g: "ĜĝĞğĠġĢģǦǧǴǵḠḡ",
  h: "ĤĥȞȟḢḣḤḥḦḧḨḩḪḫẖ",
  i: "ÌÍÎÏìíîïĨĩĪīĬĭĮįİǏǐȈȉȊȋḬḭỈỉỊị",
  j: "Ĵĵǰ",
  k: "ĶķǨǩḰḱḲḳḴḵ",
  l: "ĹĺĻļĽľḶḷḺḻḼḽ",
  m: "ḾḿṀṁṂṃ",
  n: "ÑñŃńŅņŇňǸǹṄṅṆṇṈṉṊṋ",
  o: "ÒÓÔÕÖòóôõöŌōŎŏŐőƠơǑǒǪǫȌȍȎȏȮȯỌọỎỏ",
  p: "ṔṕṖṗ",
  r: "ŔŕŖŗŘřȐȑȒȓṘṙṚṛṞṟ",
  s: "ŚśŜŝŞşŠšſȘșṠṡṢṣẛ",
  t: "ŢţŤťȚțṪṫṬṭṮṯṰṱẗ",
  u: "ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔȔȕȖȗṲṳṴṵṶṷỤụỦủ",
  v: "ṼṽṾṿ",
  w: "ŴŵẀẁẂẃẄẅẆẇẈẉẘ",
  x: "ẊẋẌẍ",
  y: "ÝýÿŶŷŸȲȳẎẏẙỲỳỴỵỶỷỸỹ",
  z: "ŹźŻżŽžẐẑẒẓẔẕ",
};

/** Letters that fold to another letter than their lower case. */
export const ODD_LETTERS: Readonly<Record<string, string>> = {
  "\u00b5": "μ",
  ς: "σ",
  ϐ: "β",
  ϑ: "θ",
  ϕ: "φ",
  ϖ: "π",
  ϰ: "κ",
  ϱ: "ρ",
  ϵ: "ε",
  "\u1fbe": "ι",
};

/** First and last code point of the stretches beyond ASCII whose letters fold to their lower case; no others do. */
export const CASE_RANGES: readonly (readonly [number, number])[] = [
  [0xc6, 0x376],
  [0x386, 0x526],
  [0x531, 0x10cd],
  [0x1e08, 0x2183],
  [0x2c00, 0x2c2e],
  [0x2c60, 0xa696],
  [0xa722, 0xa792],
  [0xa7a0, 0xa7aa],
  [0xff21, 0x10427],
];

/** Combining marks that the index drops. The other marks of their block separate words there. */
export const DROPPED_MARKS: readonly (readonly [number, number])[] = [
  [0x300, 0x304],
  [0x306, 0x30c],
  [0x30f, 0x30f],
  [0x311, 0x311],
  [0x31b, 0x31b],
  [0x323, 0x328],
  [0x32d, 0x32e],
  [0x330, 0x331],
];

/** Selectors of a glyph, which carry no meaning: variation selectors and the keycap. */
export const SELECTORS: readonly (readonly [number, number])[] = [
  [0x20e3, 0x20e3],
  [0xfe00, 0xfe0f],
  [0xe0100, 0xe01ef],
];
