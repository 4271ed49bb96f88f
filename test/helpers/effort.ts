const given = process.env['TEST_EFFORT'] ?? '1';
if (!/^[1-9]\d{0,3}$/.test(given))
  throw new Error(`TEST_EFFORT is ${JSON.stringify(given)}; it is a whole number from 1 to 9999`);

/** Tests try so many times as many random examples, histories and kills: `TEST_EFFORT=10 npm test`. */
export const EFFORT = Number(given);
