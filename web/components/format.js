// Numbers for people. duration() says what dray's tables say (time_text in src/report/jobs_report.cpp).

const two = (value) => String(value).padStart(2, '0');
const minus = '−';

export function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86400)}d${two(Math.floor((whole % 86400) / 3600))}h`;
}

/// The same for the marks of an axis: `6h`, not `6h00m`.
export const mark = (seconds) => duration(seconds).replace(/(?<=[dhm])00[hms]$/, '');

/// At most so many decimals, thousands apart.
export function number(value, decimals = 0) {
  const fixed = Math.abs(value).toFixed(decimals);
  const [whole, part] = fixed.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const sign = value < 0 && Number(fixed) !== 0 ? minus : '';
  return sign + grouped + (part ? `.${part}` : '');
}

/// Without the decimals that a mark of an axis does not need.
export const plain = (value) => number(value, [0, 1, 2].find((decimals) => Number(value.toFixed(decimals)) === Number(value.toFixed(3))) ?? 3);

export const percent = (value, decimals = 1) => `${number(value, decimals)} %`;

/// With its sign, also where it is above 0.
export function signed(value, decimals = 0) {
  const text = number(value, decimals);
  return value > 0 && Number(value.toFixed(decimals)) !== 0 ? `+${text}` : text;
}

/// How much more or less: `−38 %`, `×12` where it is many times as much. Nothing where
/// there was nothing, or where it comes to nothing.
export function change(before, after) {
  if (before === 0 || before === after) return '';
  const ratio = after / before;
  if (ratio >= 3) return `×${number(ratio, ratio < 10 ? 1 : 0)}`;
  const text = signed((ratio - 1) * 100);
  return text === '0' ? '' : `${text} %`;
}

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
