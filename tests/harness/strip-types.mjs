// Lets jest load the TypeScript sources the way Node.js itself does: the types are stripped, nothing else changes.
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

export default {
  getCacheKey: (source, path) => createHash('sha256').update(process.version).update(path).update(source).digest('hex'),
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
