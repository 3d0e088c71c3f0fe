import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { dictionary, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common';

/** The number of variants of a substitution ("p@5$w0rd") to try: 100, the default, doubles the longest estimate. */
const READINGS = 16;

/** How many guesses a password takes. A module of its own, because its dictionaries are loaded for the first new password. */
export const estimator = new ZxcvbnFactory({ dictionary, graphs, l33tMaxSubstitutions: READINGS });
