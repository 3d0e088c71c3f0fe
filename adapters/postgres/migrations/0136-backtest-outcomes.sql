-- Outcomes of rows of back-tests are kept as they were written: nothing searches in them, and reading them apart costs more
-- than to write them. Changes no value.

alter table app.backtest_documents alter column outcome type json using outcome::json;
