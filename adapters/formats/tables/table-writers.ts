import type { TableWriters } from '../../../domain/table.ts';
import { csvTable } from './csv-table.ts';
import { jsonlTable } from './jsonl-table.ts';
import { parquetTable } from './parquet-table.ts';

export const tableWriters: TableWriters = { csv: csvTable, parquet: parquetTable, jsonl: jsonlTable };
