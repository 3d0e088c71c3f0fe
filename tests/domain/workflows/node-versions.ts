/**
 * The versions of each template, the first one first: the start of the SHA-256 of its RFC 8785 form. Lines are added
 * and, once they are released, never changed.
 */
export const NODE_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  'input.instrument': ['43c5fd7c95cbb756'],
  'input.watchlist': ['26fac3d9c67f8a2e'],
  'input.idea': ['e53fcb5068a263a2'],
  'data.bars': ['abb69e5ebcbed796'],
  'data.benchmark': ['dee7cca25f92f518'],
  'data.news': ['f0eabf13adc6fd02'],
  'data.fundamentals': ['9fd4c77703ff1fa4'],
  'evidence.cohort': ['4d7685a42edc114f'],
  'evidence.precedents': ['07332e729f946be2'],
  'evidence.own_records': ['9e3a03982e25f476'],
  'analysis.technical': ['4c3d0f9f1355a98d'],
  'analysis.relative': ['d9387f82fde39643'],
  'analysis.sentiment': ['899e928de980ff6c'],
  'analysis.fundamental': ['0b761dd17be9fb60'],
  'analysis.thesis': ['496c6eaacf0ec5b1'],
  'analysis.challenge': ['b6cc989c4cf38c97'],
  'logic.combine': ['9032ce73d7760fcd'],
  'logic.gate': ['99a38b167c483215'],
  'logic.freshness': ['4f1f213563c37cec'],
  'risk.levels': ['9199ce86838f9842'],
  'risk.sizing': ['e13be0d948660329'],
  'risk.exposure': ['e68b72e898604360'],
  'decision.submit': ['d2a53cdd8724f4d3'],
};
