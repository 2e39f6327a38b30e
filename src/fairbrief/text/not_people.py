"""Capitalised words that name places, peoples, organisations and things, where they might be taken for people."""

from __future__ import annotations

_COUNTRIES = """
afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain bangladesh
barbados belarus belgium belize benin bhutan bolivia bosnia botswana brazil britain brunei bulgaria burkina burundi
cambodia cameroon canada chile china colombia congo croatia cuba cyprus czechia denmark djibouti ecuador egypt england
eritrea estonia ethiopia europe fiji finland france gabon gambia germany ghana greece greenland guatemala guinea guyana
haiti holland honduras hungary iceland india indonesia iran iraq ireland israel italy jamaica japan kazakhstan kenya
kosovo kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg macedonia
madagascar malawi malaysia maldives mali malta mauritania mauritius mexico moldova monaco mongolia montenegro morocco
mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan palestine panama paraguay peru
philippines poland portugal qatar romania russia rwanda samoa scotland senegal serbia singapore slovakia slovenia
somalia spain sudan suriname swaziland sweden switzerland syria taiwan tajikistan tanzania thailand tibet togo tonga
tunisia turkey turkmenistan uganda ukraine uruguay uzbekistan vatican venezuela vietnam wales yemen yugoslavia zambia
zimbabwe africa america americas antarctica arctic asia atlantic balkans caribbean crimea pacific scandinavia siberia
"""
_REGIONS = """
alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa
kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada
ohio oklahoma oregon pennsylvania tennessee texas utah vermont wisconsin wyoming manitoba ontario quebec
saskatchewan queensland tasmania bavaria catalonia flanders normandy sicily tuscany ulster kashmir bengal manhattan
brooklyn hollywood broadway queens bronx alsace provence andalusia lombardy sardinia corsica crete
"""
_CITIES = """
amsterdam ankara antwerp athens atlanta auckland baghdad baltimore bangkok barcelona beijing beirut belfast belgrade
berlin birmingham bogota bologna bombay boston brisbane brussels bucharest budapest buffalo cairo calcutta calgary
cambridge canberra caracas cardiff chicago cincinnati cologne copenhagen damascus delhi denver detroit
dhaka doha dresden dubai dublin edinburgh frankfurt genoa ghent glasgow gothenburg hamburg hanoi havana helsinki
hiroshima hong-kong houston islamabad istanbul jakarta jerusalem johannesburg kabul karachi kathmandu kiev kyiv kyoto
lahore lagos lausanne leeds leipzig lima lisbon liverpool lyon madrid manchester manila marseille mecca melbourne miami
minneapolis montreal moscow mumbai munich nairobi nagasaki naples nashville newark osaka oslo ottawa oxford palermo
perth philadelphia pittsburgh prague pretoria quito reykjavik riyadh rome rotterdam sacramento seattle seoul
shanghai sheffield shenzhen sofia stockholm strasbourg stuttgart taipei tallinn tampa tehran tokyo toronto tripoli
tunis turin vancouver venice vienna vilnius warsaw wellington zagreb zurich versailles vegas pyongyang
columbus diego angeles durham norwich southampton plymouth
"""
_PHRASES = """
new york;new jersey;new mexico;new hampshire;new orleans;new delhi;new zealand;new england;los angeles;las vegas;
san francisco;san diego;san jose;san antonio;santa cruz;santa ana;santa monica;santa barbara;santa fe;st. louis;
st. petersburg;st. paul;st louis;st petersburg;saint petersburg;hong kong;sri lanka;saudi arabia;south africa;
south korea;north korea;costa rica;puerto rico;el salvador;el paso;buenos aires;rio de janeiro;sao paulo;mexico city;
kuala lumpur;tel aviv;addis ababa;cape town;ivory coast;sierra leone;north carolina;south carolina;north dakota;
south dakota;west virginia;rhode island;great britain;northern ireland;middle east;salt lake;baton rouge;
nova scotia;burkina faso;papua new guinea;south sudan;east timor;puerto vallarta;ho chi minh city;gaza strip
"""
PLACES = frozenset(f"{_COUNTRIES} {_REGIONS} {_CITIES}".split())
"""Lower-case single words that name a place, and hardly ever a person."""
PLACE_PHRASES = frozenset(tuple(p.split()) for p in _PHRASES.replace("\n", "").split(";") if p.strip())
"""Places of several words, lower-case."""
PLACES_AND_NAMES = frozenset(
    "adelaide alberta alexandria antonio augusta austin boston brittany camden carolina charlotte chad chelsea chester cleveland cordoba dakota "
    "dallas devon eugene florence francisco geneva georgia hamilton houston indiana irving jackson jordan lancaster lincoln logan london lorraine "
    "lourdes madison milan montana nelson odessa orlando oxford paris phoenix preston regina roma salem santiago savannah sidney sydney "
    "troy tyler victoria virginia washington wellington york bristol berkeley stanford cornell".split()
)
"""Places that people are called after as well: alone they are taken for places, before another name for people."""

PEOPLES = frozenset(
    "american arab argentine asian australian austrian belgian black brazilian british canadian catholic chilean chinese "
    "christian colombian cuban czech danish dutch egyptian english ethiopian european finnish flemish french german greek "
    "hebrew hindu hispanic hungarian indian indonesian iranian iraqi irish islamic israeli italian japanese jewish kenyan "
    "korean latin latino lebanese malaysian mexican mongolian moroccan muslim nigerian norwegian pakistani palestinian "
    "persian peruvian polish portuguese protestant roman romanian russian scottish serbian soviet spanish swedish swiss "
    "apache aztec cherokee inca maya mayan navajo olmec sioux syrian taiwanese tamil thai tibetan tunisian turkish ukrainian venezuelan vietnamese welsh western eastern northern "
    "southern african afghan belgians britons egyptians americans germans italians russians".split()
)

ORGANISATION_WORDS = frozenset(
    "academy act acts administration affairs agency agreement airlines airport airways alliance arena army assembly association "
    "authority avenue award awards bank basin bay beach board book boulevard bowl bridge broadcasting bureau business "
    "cabinet campus capitol carnival castle cathedral cave center centre century chamber championship championships channel "
    "chapel charter church circuit city clinic club code coast college commission committee communications community companies "
    "company conference congress constitution convention corp corporation council county court courts cream creek crisis "
    "cup daily data day defense democrats department desert district division dynasty east economics education election "
    "elections electric embassy empire enterprises entertainment exchange expo express fc federation festival field film "
    "finals fleet force forces forest forum foundation front fund gallery games gardens gazette gospel government grand group "
    "guard guardian hall hemisphere herald heights highway hill hills hospital hotel house images image inc incident industries initiative "
    "institute institution insurance international investigation islamism island islands journal kingdom laboratories laboratory "
    "ave bible conservatoire declaration edt place statue turnpike universe grammar linguistics labs lake lakes land lanes language law league lectures library limited llc lodge ltd magazine mall management manifesto mansion market "
    "marathon medal media memorial ministry mission monastery morning motors mountain mountains museum nation nations navy network news newspaper "
    "night north observatory ocean office olympics open opera orchestra order organisation organization palace palm paralympics park "
    "parliament parties partners party pass peak peninsula people petition plan plant plaza police policy port post premiership press prize "
    "problem program programme project province publications radio railroad railway records region relations republic "
    "republicans research resort review revolution river road rock room route school schools science sciences sea senate series "
    "service services shrine shop show society south space square stadium state states station store street studies studio studios "
    "summit supreme survey symphony system systems talks tea team technologies technology telegraph television temple theatre "
    "theater theorem theory times tournament tower town trade trail treaty trial tribune troops trust tunnel tv union united "
    "university valley village war weather week weekend west wiki winter wood woods world zone zoo".split()
)  # fmt: skip
"""Words of which hardly any name of a person is made: a run of capitalised words that holds one names something else."""
SURNAMES_TOO = frozenset(
    "banks bell church day field forest hall hill house lake land lane law lodge marsh mills north park post school temple "
    "west winter wood woods".split()
)
"""Those of these words that people are called by as well, where a given name stands before them."""

PLAIN_WORDS = frozenset(
    "an art ash baby bay berry bird black blue brook bud case cash chance china cherry christmas cloud coy "
    "day dear destiny do easter early fair far fast fortune free gay german golden good grand "
    "green ha happy holy honor hot image in irish just justice les long love lucky ma magic major man many "
    "marine mercy merry miracle my noble note ocean ok old page park peace people precious president price "
    "pure queen rain rich river royal sage saint santa scholar sea see shade sheriff shy sierra sister sky so song spirit star starr storm "
    "street student summer sun sunny temple toy treasure un un-american valley van velvet venus verse viva war white wild winter "
    "worth young".split()
)
"""Common words that the lists of given names hold as well."""

PLAIN_NAMES = frozenset("chase crystal dawn dean faith grace hope jewel joy june may misty pearl".split())
"""Common words that are frequent given names: alone they need what is said of people beside them."""
