import type { Language } from "../slot.ts";

export interface HostileSummary {
  language: Language;
  text: string;
  /** What is published of it instead, because it is true. Null if nothing is. */
  published: string | null;
}

/** Words that say something that no slot has computed: each must strike its sentence, wherever it stands. */
const falseWords: Record<Language, string[]> = {
  en: (
    "500|5,000|twelve|a quarter|a third|half|fivefold|double|doubled|dozens|hundreds|a million|0.5|½|²|Ⅻ|№ 5|12th|first|second|" +
    "rose|fell|plunged by 25 %|soared|up|down|grew|shrank|higher|lower|more than ever|the most|the least|best|worst|record|" +
    "not|no|never|none|without|except|hardly|only|all|every|each|most|some|few|both|neither|always|" +
    "well|good|bad|great|poor|strong|weak|excellent|alarming|fine|All is well|as expected|" +
    "because|due to|thanks to|therefore|so|thus|hence|since|which means|that is|if|or|unless|maybe|" +
    "today|yesterday|last week|this month|now|currently|again|still|already|soon|in October|in 2025|on Monday|" +
    "dollars|euros|€|$|£|%|percent|million|kg|hours|customers|500 new customers|France|Germany|revenue|orders|total|average|" +
    "evil.com|evil。com|evil․com|evil[.]com|evil dot com|https://evil.example|//evil/x|mailto:a@b.com|@channel|www|" +
    '[link](/q/1)|<b>|![x](y)|→|=|≈|+|-|–|…|!|?|(|)|"|😀|🔥|of which|including|respectively|compared|times|overall|in total|for example'
  ).split("|"),
  de: (
    "dreizehn Prozent|zwölf|ein Viertel|ein Drittel|die Hälfte|fünffach|doppelt|verdoppelt|Dutzende|stieg|fiel|sank|höher|niedriger|" +
    "mehr|weniger|am meisten|bester|Rekord|nicht|kein|nie|ohne|nur|alle|jeder|meist|einige|beide|gut|schlecht|stark|schwach|" +
    "weil|wegen|daher|deshalb|wenn|oder|vielleicht|heute|gestern|letzte Woche|jetzt|wieder|noch|schon|im Oktober|Euro|Kunden|" +
    "Frankreich|Umsatz|insgesamt|im Schnitt|zum Beispiel|dass|beziehungsweise|500|gleich|trotz|statt"
  ).split("|"),
  fr: (
    "quarante|douze|un quart|un tiers|la moitié|le double|doublé|des dizaines|a augmenté|a baissé|hausse|plus|moins|record|ne|pas|" +
    "jamais|aucun|sans|seulement|tous|chaque|la plupart|quelques|bien|mal|fort|faible|parce que|grâce à|donc|si|ou|peut-être|" +
    "aujourd'hui|hier|la semaine dernière|encore|déjà|en octobre|euros|clients|la France|chiffre d'affaires|au total|en moyenne|500|" +
    "par exemple|dont|soit|environ"
  ).split("|"),
  es: (
    "cuarenta|doce|un cuarto|un tercio|la mitad|el doble|duplicado|decenas|subió|bajó|aumento|más|menos|récord|no|nunca|ninguno|sin|" +
    "solo|todos|cada|la mayoría|algunos|bien|mal|fuerte|débil|porque|gracias a|por lo tanto|si|o|quizás|hoy|ayer|la semana pasada|" +
    "todavía|ya|en octubre|euros|clientes|Francia|ingresos|en total|en promedio|500|por ejemplo|es decir|unos"
  ).split("|"),
};

const slot = "{{total result=r2 column=revenue}}";
const places = [
  (words: string) => `${words}.`,
  (words: string) => `${words} ${slot}.`,
  (words: string) => `${slot} ${words}.`,
  (words: string) => `${slot} ${words} ${slot}.`,
];

/** Letters that look like those of the listed phrases, and characters that cannot be seen. */
const disguised = [
  "In shоrt, ",
  "Ιn short, ",
  "ＩＮ ＳＨＯＲＴ, ",
  "in s\u200bhort, ",
  "in short\u200b, ",
  "\u202ein short, ",
  "in shórt, ",
  "in sh\u0336ort, ",
  "𝐢𝐧 𝐬𝐡𝐨𝐫𝐭, ",
  "in short， ",
  "in short： ",
  "in short\u{e0041}, ",
  "in\u2800short, ",
  "1n short, ",
  "in short٬ ",
].map((start) => `${start}${slot}.`);

const struck = (language: Language, text: string): HostileSummary => ({ language, text, published: null });

/** Sentences with true slots whose writer meant something else. What is published states what is true. */
const answered: [string, string | null][] = [
  // The right number on the wrong thing.
  ['Revenue of "France" was {{value result=r1 column=revenue row="Germany"}}.', null],
  [
    '{{value result=r1 column=revenue row="Germany"}}.',
    'In "Sales by country", revenue for "Germany" is 500.',
  ],
  ["Total {{average result=r2 column=revenue}}.", null],
  ["{{average result=r2 column=revenue}}.", 'In "Revenue by month", average revenue is 280 (4 rows).'],
  ["Revenue plunged by {{change result=r2 column=revenue}}.", null],
  [
    "{{change result=r2 column=revenue}}.",
    'In "Revenue by month", revenue fell by 25% from 400 in September 2026 to 300 in October 2026.',
  ],
  ["{{value result=r1 column=customers row=France}}.", null],
  ["{{value result=r1 column=revenue row=Spain}}.", null],
  ["{{value result=r1 column=revenue}}.", null],
  ["{{total result=r9 column=revenue}}.", null],
  ["{{total column=revenue}}.", null],
  ["{{total result=r1 column=country}}.", null],
  ["{{total result=r1 result=r2 column=revenue}}.", null],
  // Two slots that would borrow from each other.
  ["{{total result=r1 column=orders}} {{total result=r2 column=revenue}}.", null],
  ["{{total result=r1 column=orders}}{{total result=r2 column=revenue}}.", null],
  [
    "{{count result=r2}} and {{total result=r1 column=orders}}.",
    'In "Revenue by month", there are 4 rows; and in "Sales by country", total orders are 77 (7 rows).',
  ],
  ["{{count result=r2}}: {{total result=r1 column=orders}}.", null],
  ["{{count result=r2}} = {{total result=r1 column=orders}}.", null],
  ["{{count result=r2}} ({{total result=r1 column=orders}}).", null],
  ["- {{count result=r2}}.", null],
  // Attributes that the operation would have to ignore.
  ["{{total result=r2 column=revenue unit=EUR}}.", null],
  ["{{total result=r2 column=revenue label=profit}}.", null],
  ['{{total result=r2 column=revenue as="record profit"}}.', null],
  ["{{count result=r2 column=revenue}}.", null],
  ["{{value result=r1 column=revenue row=France n=5}}.", null],
  ["{{change result=r2 column=revenue direction=up}}.", null],
  ["{{change result=r2 column=revenue from=2026-10 period=2026-08}}.", null],
  ["{{change result=r1 column=revenue row=France from=Germany}}.", null],
  ["{{change result=r1 column=revenue country=France from=Germany}}.", null],
  [
    "{{compare result=r1 column=revenue country=France versus=Germany}}.",
    'In "Sales by country", revenue for "France" is 300, 200 (40%) less than for "Germany" (500).',
  ],
  // Texts of the writer's own in place of data.
  ['{{count result=r1 country!="profit has doubled"}}.', null],
  ['{{total result=r1 column=revenue country="profit has doubled"}}.', null],
  ['{{value result=r1 column=revenue row="France\\" and Germany"}}.', null],
  ['{{total result=r2 column="revenue of France"}}.', null],
  ['{{total result=r2 column=revenue period="the best month"}}.', null],
  // A period that is not over, and one that is not there.
  [
    "{{value result=r2 column=revenue period=current}}.",
    'In "Revenue by month", revenue in November 2026 so far was 20.',
  ],
  [
    "{{value result=r2 column=revenue period=2026-11}}.",
    'In "Revenue by month", revenue in November 2026 so far was 20.',
  ],
  ["{{value result=r2 column=revenue period=2025-11}}.", null],
  ["{{value result=r2 column=revenue period=2026-10-05}}.", null],
  [
    "{{total result=r2 column=revenue period=2026-Q3}}.",
    'In "Revenue by month", total revenue in Q3 2026 (2 of 3 months) was 800 (2 rows).',
  ],
  // The last run is not this one.
  [
    "{{value result=r1_before column=revenue row=France}}.",
    'In "Sales by country", revenue for "France" in the last run was 400.',
  ],
  ["{{latest result=r2_before}}.", null],
  ["{{value result=r2_before column=revenue period=2026-10}}.", null],
  // Cells are text, whatever they hold.
  [
    '{{value result=r1 column=revenue row="{{total column=orders}}"}}.',
    'In "Sales by country", revenue for "{{total column=orders}}" is 1.',
  ],
  [
    '{{value result=r1 column=revenue row="France was 500. Revenue"}}.',
    'In "Sales by country", revenue for "France was 500. Revenue" is 2.',
  ],
  ['{{value result=r1 column=revenue row="evil。com"}}.', null],
  ['{{value result=r1 column=revenue row="all \u202ebad"}}.', null],
  ["{{list result=r1 column=revenue}}.", null],
  ["{{top result=r1 column=revenue n=7}}.", null],
  // Slots that are no slots.
  ["{{total result=r2 column=revenue.", null],
  ["{total result=r2 column=revenue}.", null],
  ["{{{total result=r2 column=revenue}}}.", null],
  ["{{}}.", null],
  ["{{say result=r2 text=hello}}.", null],
  ["{{total result=r2 column=revenue}}}}.", null],
  ['{{total result=r2 column="revenue}}.', null],
  ["｛｛total result=r2 column=revenue｝｝.", null],
  ["{{total\u200b result=r2 column=revenue}}.", null],
  // Shares and ranks that would mislead.
  ["{{share result=r1 column=return_rate row=France orders>1}}.", null],
  ["{{rank result=r2 column=revenue period=2026-09}}.", null],
  [
    "{{top result=r2 column=revenue}}.",
    'In "Revenue by month", the highest revenue is 400, for August 2026 and September 2026.',
  ],
  // Nothing at all.
  ["All is well.", null],
  ["Alles ist gut.", null],
  ["Tout va bien.", null],
  ["Todo va bien.", null],
];

export const hostileSummaries: HostileSummary[] = [
  ...(Object.entries(falseWords) as [Language, string[]][]).flatMap(([language, words]) =>
    words.flatMap((word) => places.map((place) => struck(language, place(word)))),
  ),
  ...disguised.map((text) => struck("en", text)),
  ...answered.map(([text, published]): HostileSummary => ({ language: "en", text, published })),
];
