const ZONES: ReadonlyMap<string, string> = new Map([
  ['zh-CN', 'Asia/Shanghai'],
  ['zh-HK', 'Asia/Hong_Kong'],
  ['zh-TW', 'Asia/Taipei'],
  ['ja-JP', 'Asia/Tokyo'],
  ['ko-KR', 'Asia/Seoul'],
  ['en-IN', 'Asia/Kolkata'],
  ['en-AU', 'Australia/Sydney'],
  ['en-NZ', 'Pacific/Auckland'],
  ['en-GB', 'Europe/London'],
  ['de-DE', 'Europe/Berlin'],
  ['fr-FR', 'Europe/Paris'],
  ['it-IT', 'Europe/Rome'],
  ['es-ES', 'Europe/Madrid'],
  ['pt-BR', 'America/Sao_Paulo'],
  ['en-CA', 'America/Toronto'],
  ['fr-CA', 'America/Toronto'],
  ['en-US', 'America/Los_Angeles'],
]);

/** Returns the time zone at whose midnight the image of a market changes; the usual one for unknown markets. */
export function findMarketZone(market: string, usual: string): string {
  return ZONES.get(market) ?? usual;
}
