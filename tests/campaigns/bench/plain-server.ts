// The minimum cost of a submit and a read with Express and pg: one insert and one select, without any guarantee.
import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = express();
app.use(express.json());

app.post('/records', async (request, response) => {
  const body = JSON.stringify(request.body);
  const { rows } = await pool.query('insert into bench.submissions (body) values ($1) returning id', [body]);
  response.status(201).json(rows[0]);
});

app.get('/records/:id', async (request, response) => {
  const { rows } = await pool.query('select body from bench.records where record_id = $1', [request.params.id]);
  if (rows[0]) response.json(rows[0].body);
  else response.status(404).json({});
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) console.log(`listening at http://127.0.0.1:${address.port}`);
});
