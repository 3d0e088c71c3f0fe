// Parse Server as its guide sets it up, quiet, with a key that clients must send. Runs in a folder of its own.
import express from 'express';
import { ParseServer } from 'parse-server';

const { DATABASE_URL, MASTER_KEY, REST_API_KEY } = process.env;
const server = new ParseServer({
  databaseURI: DATABASE_URL,
  appId: 'bench',
  masterKey: MASTER_KEY,
  restAPIKey: REST_API_KEY,
  serverURL: 'http://127.0.0.1/parse',
  logLevel: 'error',
  silent: true,
});
await server.start();
const app = express();
app.use('/parse', server.app);
const listener = app.listen(0, '127.0.0.1', () =>
  console.log(`listening at http://127.0.0.1:${listener.address().port}`),
);
