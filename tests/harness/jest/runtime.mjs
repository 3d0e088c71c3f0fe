// Loads suites as Node.js loads any module, so the suites of a worker share the modules they import: jest's own runtime
// evaluates all of them again for each suite, which took most of the time of the small ones.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';
import { setGlobals } from './globals.mjs';

const GLOBALS = new URL('./globals.mjs', import.meta.url).href;
const KEPT_SERVERS = new URL('./kept-servers.mjs', import.meta.url).href;
const require = createRequire(import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const isOfSuite = specifier === 'supertest' && context.parentURL !== KEPT_SERVERS;
    return isOfSuite ? { url: KEPT_SERVERS, shortCircuit: true } : next(specifier, context);
  },
});

export default class ProcessRuntime extends Runtime {
  #testPath;

  constructor(...options) {
    super(...options);
    this.#testPath = options[6];
  }

  /** jest-circus: evaluated again for each suite, because it holds the suite's tests and handlers. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    setGlobals({ ...globals, jest: this.jestGlobals.jestObjectFor(this.#testPath) });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  /** Suites use that of the process. */
  installGetBuiltinModule() {}
}
