#!/bin/sh
# simple-statistics 7.12.1 has no p-value below 0.001: cumulativeStdNormalProbability() looks a z-score up in a table of four
# digits that ends at 3.09, and takes its last row for all beyond. So z = 3.1 and z = 6 are alike, and a strategy that is
# compared with a hundred others can never pass 0.05 / 100. Its text names a table, and neither its end nor its error.
# probit() is documented as the inverse of that function, and is an approximation of it from below: 1.957 for 97.5 %, so that
# intervals made with it are too short.
# Expected: the normal distribution, as jstat 1.9.6 and tables have it: 3.2e-5 beyond 4, and 1.960.
# Seen, one-sided p-values and quantiles:
#   beyond 3: simple-statistics 1.3e-3, jstat 1.3e-3
#   beyond 3.5: simple-statistics 1.0e-3, jstat 2.3e-4
#   beyond 4: simple-statistics 1.0e-3, jstat 3.2e-5
#   beyond 6: simple-statistics 1.0e-3, jstat 9.9e-10
#   quantile 0.975: simple-statistics 1.9572, jstat 1.9600
#   quantile 0.995: simple-statistics 2.5692, jstat 2.5758
#   quantile 0.9995: simple-statistics 3.2793, jstat 3.2905
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund simple-statistics@7.12.1 jstat@1.9.6
cat > check.mjs <<'SCRIPT'
import jstat from 'jstat';
import { cumulativeStdNormalProbability, probit } from 'simple-statistics';

const { normal } = jstat.jStat;
for (const z of [3, 3.5, 4, 6]) {
  const [seen, peer] = [cumulativeStdNormalProbability(-z), normal.cdf(-z, 0, 1)].map((value) => value.toExponential(1));
  console.log(`beyond ${z}: simple-statistics ${seen}, jstat ${peer}`);
}
for (const share of [0.975, 0.995, 0.9995]) {
  const [seen, peer] = [probit(share), normal.inv(share, 0, 1)].map((value) => value.toFixed(4));
  console.log(`quantile ${share}: simple-statistics ${seen}, jstat ${peer}`);
}
SCRIPT
node check.mjs | tee seen.txt
cat > expected.txt <<'END'
beyond 3: simple-statistics 1.3e-3, jstat 1.3e-3
beyond 3.5: simple-statistics 1.0e-3, jstat 2.3e-4
beyond 4: simple-statistics 1.0e-3, jstat 3.2e-5
beyond 6: simple-statistics 1.0e-3, jstat 9.9e-10
quantile 0.975: simple-statistics 1.9572, jstat 1.9600
quantile 0.995: simple-statistics 2.5692, jstat 2.5758
quantile 0.9995: simple-statistics 3.2793, jstat 3.2905
END
diff expected.txt seen.txt
