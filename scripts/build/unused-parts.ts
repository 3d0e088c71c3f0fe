import type { Plugin } from 'esbuild';

/** Modules of packages that load much that this project never calls, by the end of their path, and what replaces each. */
const UNUSED: Readonly<Record<string, string>> = {
  // Loads the drivers of eighteen databases.
  'typeorm/driver/DriverFactory.js': `
    const { PostgresDriver } = require('./postgres/PostgresDriver');
    exports.DriverFactory = class DriverFactory { create(source) { return new PostgresDriver(source); } };`,
  // Messages in fifty languages.
  'zod/v4/locales/index.js': `export { default as en } from './en.js';`,
  // Bodies are read by adapters/http/kit/input/read-body.ts, and no table of encodings is needed.
  'body-parser/index.js': 'module.exports = {};',
  // Express looks up the types of the names by which it is asked for: no others occur.
  'mime-db/index.js': `module.exports = {
    'application/json': { source: 'iana', charset: 'UTF-8', compressible: true, extensions: ['json'] },
    'text/html': { source: 'iana', compressible: true, extensions: ['html', 'htm'] },
    'text/plain': { source: 'iana', compressible: true, extensions: ['txt'] } };`,
  // Debugging of winston itself, with a library of colours.
  '@dabh/diagnostics/node/index.js': 'module.exports = () => () => false;',
  // Schedules are cron expressions: pg-boss takes others too.
  'rrule-temporal/dist/index.js': `
    export class RRuleTemporal { constructor() { throw new Error('The build has no recurrence rules.'); } }`,
};

/**
 * Takes `node:http` without the facade that Node.js makes for an import: that reads every export, among them WebSocket, for
 * which Node.js loads its whole client for HTTP.
 */
export function withoutFacadeOfHttp(): Plugin {
  return {
    name: 'without-facade-of-http',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace: 'builtin' }));
      onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule('${path}');`,
      }));
    },
  };
}

/** Leaves out of the build what would only cost memory. @throws Error where a package has its modules elsewhere by now */
export function withoutUnusedParts(): Plugin {
  const names = Object.keys(UNUSED);
  return {
    name: 'without-unused-parts',
    setup({ onStart, onLoad, onEnd }) {
      const left = new Set<string>();
      onStart(() => left.clear());
      onLoad({ filter: /node_modules/ }, ({ path }) => {
        const name = names.find((each) => path.endsWith(`/node_modules/${each}`));
        if (name === undefined) return undefined;
        left.add(name);
        return { contents: UNUSED[name] ?? '', loader: 'js' };
      });
      onEnd(() => {
        const missed = names.filter((name) => !left.has(name));
        if (missed.length > 0) throw new Error(`The build did not meet ${missed.join(', ')}.`);
      });
    },
  };
}
