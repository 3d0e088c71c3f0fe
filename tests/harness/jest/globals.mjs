// What `@jest/globals` exports in a suite. Modules that several suites of a worker import get those of the current one.
export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let jest;
export let test;

/** Sets the exports for the suite that is about to be loaded. */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globals);
}
