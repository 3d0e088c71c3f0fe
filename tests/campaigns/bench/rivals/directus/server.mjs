// Directus at a free port, in the folder that it is installed in.
import { createServer } from '@directus/api/server';

const server = await createServer();
server.listen(0, '127.0.0.1', () => console.log(`listening at http://127.0.0.1:${server.address().port}`));
