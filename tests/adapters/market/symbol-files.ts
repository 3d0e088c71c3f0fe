// The daily files of US listings in their published form, a few rows of each.

export const NASDAQ_HEADER =
  'Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares';

const FOOTER = 'File Creation Time: 0203202618:03|||||||';

export const NASDAQ = [
  NASDAQ_HEADER,
  'AAPL|Apple Inc. - Common Stock|Q|N|N|100|N|N',
  'MSFT|Microsoft Corporation - Common Stock|Q|N|N|100|N|N',
  'QQQ|Invesco QQQ Trust, Series 1|G|N|N|100|Y|N',
  'ZXZZT|NASDAQ TEST STOCK|G|Y|N|100|N|N',
  'NEWCO|A company that was listed yesterday|S|N|D|100|N|N',
  FOOTER,
  '',
].join('\r\n');

export const OTHER = [
  'ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol',
  'IBM|International Business Machines Corporation Common Stock|N|IBM|N|100|N|IBM',
  'BRK.B|Berkshire Hathaway Inc. New Common Stock|N|BRK.B|N|100|N|BRK.B',
  'ABR$D|Arbor Realty Trust 6.375% Series D Preferred|N|ABRpD|N|100|N|ABR-D',
  'BAC$|A preferred share without a class|N|BACp|N|100|N|BAC-',
  'AAC.W|Ares Acquisition Corporation Warrants|N|AAC.WS|N|100|N|AAC+',
  'AAC.U|Ares Acquisition Corporation Units|N|AAC.U|N|100|N|AAC=',
  'AIIA^|A right|N|AIIAr|N|100|N|AIIA^',
  'SPY|SPDR S&P 500|P|SPY|Y|100|N|SPY',
  'NTEST|NYSE TEST STOCK|N|NTEST|N|100|Y|NTEST',
  FOOTER,
  '',
].join('\r\n');
