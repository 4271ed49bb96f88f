import { rateLimitHeaders } from '../../../api/inclusion/inclusion-answer.ts';
import test from '../../helpers/serial-test.ts';

test('rate-limit-headers() tells the window twice: as the draft has it, and as most clients read it', (t) => {
  t.deepEqual(rateLimitHeaders({ window: 'day', limit: 20, remaining: 7, resetS: 3600 }), {
    'RateLimit-Policy': '"day";q=20;w=86400',
    RateLimit: '"day";r=7;t=3600',
    'RateLimit-Limit': '20',
    'RateLimit-Remaining': '7',
    'RateLimit-Reset': '3600',
  });
});

test('rate-limit-headers() adds Retry-After where a wait is given', (t) => {
  const headers = rateLimitHeaders({ window: 'minute', limit: 120, remaining: 0, resetS: 12 }, 12);
  t.like(headers, { 'RateLimit-Policy': '"minute";q=120;w=60', RateLimit: '"minute";r=0;t=12', 'Retry-After': '12' });
});
